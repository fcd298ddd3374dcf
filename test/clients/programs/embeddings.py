"""Has one client make embeddings of two texts, as its documentation shows it, and prints the vectors as JSON.

`python embeddings.py <unused> <client> <base URL> <model>`, with the key in API_KEY
"""

import json
import os
import sys

_, _, client, base_url, model = sys.argv
key = os.environ["API_KEY"]
TEXTS = ["text 4", "text 9"]


def by_sdk():
    from openai import OpenAI

    answer = OpenAI(base_url=base_url, api_key=key, max_retries=0).embeddings.create(model=model, input=TEXTS)
    return [one.embedding for one in answer.data]


def by_langchain():
    from langchain_openai import OpenAIEmbeddings

    return OpenAIEmbeddings(
        model=model, base_url=base_url, api_key=key, max_retries=0, check_embedding_ctx_length=False
    ).embed_documents(TEXTS)


def by_litellm():
    import litellm

    answer = litellm.embedding(model=f"openai/{model}", input=TEXTS, api_base=base_url, api_key=key)
    return [one["embedding"] for one in answer.data]


CLIENTS = {"openai": by_sdk, "langchain-openai": by_langchain, "litellm": by_litellm}
print(json.dumps(CLIENTS[client]()))
