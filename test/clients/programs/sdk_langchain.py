"""LangChain's ChatOpenAI at the responses contract."""

from client_program import TOOL_DESCRIPTION, TOOL_NAME, City, serve, under_v1
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel


class Place(BaseModel):
    city: str


def chat(job):
    return ChatOpenAI(
        model=job["model"],
        api_key=job["apiKey"],
        base_url=under_v1(job),
        use_responses_api=True,
        max_retries=job.get("maxRetries", 0),
        **job.get("more", {}),
    )


def weather(sight):
    return StructuredTool.from_function(sight.tool, name=TOOL_NAME, description=TOOL_DESCRIPTION, args_schema=Place)


def note(sight, message):
    sight.text = ""
    sight.said(message.text)
    sight.thought = "".join(block["reasoning"] for block in message.content_blocks if block["type"] == "reasoning")
    sight.calls = [{"id": call["id"], "name": call["name"], "input": call["args"]} for call in message.tool_calls]
    sight.finish = message.response_metadata.get("status")
    sight.model = message.response_metadata.get("model_name")
    if message.usage_metadata:
        sight.used(message.usage_metadata["input_tokens"], message.usage_metadata["output_tokens"])


async def read(stream, sight):
    whole = None
    async for chunk in stream:
        sight.said(chunk.text)
        whole = chunk if whole is None else whole + chunk
    note(sight, whole)


async def plain(job, sight):
    note(sight, await chat(job).ainvoke(job["text"]))


async def stream(job, sight):
    await read(chat(job).astream(job["text"]), sight)


async def leave(job, sight):
    answer = chat(job).astream(job["text"])
    async for chunk in answer:
        if chunk.text:
            break
    await answer.aclose()


async def tool(job, sight):
    note(sight, await chat(job).bind_tools([weather(sight)]).ainvoke(job["text"]))


async def stream_tool(job, sight):
    await read(chat(job).bind_tools([weather(sight)]).astream(job["text"]), sight)


async def runner(job, sight):
    model = chat(job).bind_tools([weather(sight)])
    messages = [HumanMessage(job["text"])]
    first = await model.ainvoke(messages)
    messages.append(first)
    for call in first.tool_calls:
        messages.append(ToolMessage(await weather(sight).ainvoke(call["args"]), tool_call_id=call["id"], name=call["name"]))
    note(sight, await model.ainvoke(messages))


async def schema(job, sight):
    structured = chat(job).with_structured_output(City, method="json_schema")
    sight.value = (await structured.ainvoke(job["text"])).model_dump()


serve(
    {
        "plain": plain,
        "stream": stream,
        "thoughtful": stream,
        "leave": leave,
        "tool": tool,
        "streamTool": stream_tool,
        "runner": runner,
        "schema": schema,
    }
)
