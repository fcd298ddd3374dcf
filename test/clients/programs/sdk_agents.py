"""The agents SDK, which uses the responses contract by itself."""

from agents import Agent, FunctionTool, ModelSettings, OpenAIProvider, RunConfig, Runner
from client_program import TOOL_DESCRIPTION, TOOL_NAME, TOOL_PARAMETERS, City, serve, under_v1
from openai import AsyncOpenAI
import json


def config(job):
    client = AsyncOpenAI(base_url=under_v1(job), api_key=job["apiKey"], max_retries=job.get("maxRetries", 0))
    return RunConfig(model_provider=OpenAIProvider(openai_client=client), tracing_disabled=True)


def agent(job, **parts):
    return Agent(name="Weather", model=job["model"], model_settings=ModelSettings(**job.get("more", {})), **parts)


def weather(sight):
    async def run(_context, arguments):
        return sight.tool(**json.loads(arguments))

    return FunctionTool(name=TOOL_NAME, description=TOOL_DESCRIPTION, params_json_schema=TOOL_PARAMETERS, on_invoke_tool=run)


def note(sight, result):
    last = result.raw_responses[-1]
    sight.text = ""
    if isinstance(result.final_output, str):
        sight.said(result.final_output)
    else:
        sight.value = result.final_output.model_dump()
    thoughts = [item for item in last.output if item.type == "reasoning"]
    sight.thought = "".join(part.text for item in thoughts for part in item.summary)
    sight.finish = "completed"
    sight.used(last.usage.input_tokens, last.usage.output_tokens)


async def whole(job, sight, **parts):
    note(sight, await Runner.run(agent(job, **parts), job["text"], run_config=config(job)))


async def streamed(job, sight, **parts):
    result = Runner.run_streamed(agent(job, **parts), job["text"], run_config=config(job))
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            sight.said(event.data.delta)
    note(sight, result)


async def leave(job, sight):
    result = Runner.run_streamed(agent(job), job["text"], run_config=config(job))
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            result.cancel()


serve(
    {
        "plain": whole,
        "stream": streamed,
        "thoughtful": streamed,
        "leave": leave,
        "runner": lambda job, sight: whole(job, sight, tools=[weather(sight)]),
        "streamRunner": lambda job, sight: streamed(job, sight, tools=[weather(sight)]),
        "schema": lambda job, sight: whole(job, sight, output_type=City),
    }
)
