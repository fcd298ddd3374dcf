"""pydantic-ai's model of the responses contract."""

from client_program import TOOL_DESCRIPTION, TOOL_NAME, City, serve, under_v1
from openai import AsyncOpenAI
from pydantic_ai import Agent, NativeOutput, Tool
from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta, ThinkingPart
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider


def agent(job, **parts):
    client = AsyncOpenAI(base_url=under_v1(job), api_key=job["apiKey"], max_retries=job.get("maxRetries", 0))
    model = OpenAIResponsesModel(job["model"], provider=OpenAIProvider(openai_client=client))
    return Agent(model, model_settings=job.get("more"), **parts)


def weather(sight):
    def run(city: str) -> str:
        return sight.tool(city=city)

    return Tool(run, name=TOOL_NAME, description=TOOL_DESCRIPTION)


def note(sight, result):
    last = result.response
    sight.text = ""
    sight.said(last.text)
    if not isinstance(result.output, str):
        sight.value = result.output.model_dump()
    sight.thought = "".join(part.content for part in last.parts if isinstance(part, ThinkingPart))
    sight.finish = (last.provider_details or {}).get("finish_reason")
    sight.model = last.model_name
    sight.used(last.usage.input_tokens, last.usage.output_tokens)


async def whole(job, sight, **parts):
    note(sight, await agent(job, **parts).run(job["text"]))


def text_of(event):
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


async def streamed(job, sight, **parts):
    async with agent(job, **parts).iter(job["text"]) as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as events:
                    async for event in events:
                        sight.said(text_of(event))
    note(sight, run.result)


async def leave(job, sight):
    async with agent(job).run_stream(job["text"]) as result:
        async for _ in result.stream_text(delta=True):
            break


serve(
    {
        "plain": whole,
        "stream": streamed,
        "thoughtful": streamed,
        "leave": leave,
        "runner": lambda job, sight: whole(job, sight, tools=[weather(sight)]),
        "streamRunner": lambda job, sight: streamed(job, sight, tools=[weather(sight)]),
        "schema": lambda job, sight: whole(job, sight, output_type=NativeOutput(City)),
    }
)
