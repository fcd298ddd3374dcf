"""The form of Hugging Face of a base that there is as GGUF: configuration and weights. Training needs no tokenizer, for its examples are
tokens."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import numpy
import torch
from safetensors.torch import save_file

# Bytes of one file of weights: what is in memory at a time.
SHARD_BYTES = 2 << 30
# Numbers of a base above which sixteen bits are kept of each; small ones lose more by rounding than they save.
EXACT_MOST = 500_000_000

LAYER = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}
WHOLE = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight", "output.weight": "lm_head.weight"}
# Architectures whose matrices have the same order of rows in both forms, with their classes of transformers.
CLASSES = {"qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM"}


class Unconvertible(Exception):
    """Why a base has no such form, in one sentence."""


class Source:
    """A GGUF with the keys of its architecture."""

    def __init__(self, path: str) -> None:
        self.reader = gguf.GGUFReader(path)
        self.architecture = str(self.field("general.architecture"))

    def field(self, key: str) -> Any:
        """None where the file does not have it."""
        found = self.reader.fields.get(key)
        return None if found is None else found.contents()

    def own(self, key: str) -> Any:
        return self.field(f"{self.architecture}.{key}")


def name_of(tensor: str) -> str:
    """The name of a tensor in the classes of transformers. Raises Unconvertible for one that has none."""
    if tensor in WHOLE:
        return WHOLE[tensor]
    parts = tensor.split(".")
    if len(parts) != 4 or parts[0] != "blk" or parts[2] not in LAYER:
        raise Unconvertible(f'The tensor "{tensor}" has no name in the form of Hugging Face.')
    return f"model.layers.{parts[1]}.{LAYER[parts[2]]}.{parts[3]}"


def shortest(number: float) -> float:
    """A number that was stored in 32 bits, as it was written: 1e-06, not 9.999999974752427e-07."""
    return float(numpy.format_float_scientific(numpy.float32(number), unique=True))


def config_of(source: Source) -> dict[str, Any]:
    """The configuration of the base. Raises Unconvertible for what its class does not have."""
    if source.architecture not in CLASSES:
        raise Unconvertible(f"Bases of the architecture {source.architecture} cannot be converted. Put the folder of Hugging Face beside the file.")
    if source.own("rope.scaling.type") not in (None, "none"):
        raise Unconvertible("The base scales its positions, which cannot be converted. Put the folder of Hugging Face beside the file.")
    heads = source.own("attention.head_count")
    names = {tensor.name for tensor in source.reader.tensors}
    words = source.reader.fields["tokenizer.ggml.tokens"]
    theta = shortest(source.own("rope.freq_base") or 10_000.0)
    return {
        "architectures": [CLASSES[source.architecture]],
        "model_type": source.architecture,
        "vocab_size": len(words.data),
        "hidden_size": source.own("embedding_length"),
        "intermediate_size": source.own("feed_forward_length"),
        "num_hidden_layers": source.own("block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": source.own("attention.head_count_kv") or heads,
        "head_dim": source.own("attention.key_length") or source.own("embedding_length") // heads,
        "max_position_embeddings": source.own("context_length"),
        "rms_norm_eps": shortest(source.own("attention.layer_norm_rms_epsilon")),
        "rope_theta": theta,
        "rope_parameters": {"rope_type": "default", "rope_theta": theta},
        "tie_word_embeddings": "output.weight" not in names,
        "hidden_act": "silu",
        "attention_bias": source.architecture == "qwen2",
        "dtype": "float32" if numbers_of(source) <= EXACT_MOST else "bfloat16",
        "eos_token_id": source.field("tokenizer.ggml.eos_token_id"),
        "bos_token_id": source.field("tokenizer.ggml.bos_token_id"),
    }


def numbers_of(source: Source) -> int:
    return sum(int(tensor.n_elements) for tensor in source.reader.tensors)


def tensors_of(source: Source, dtype: torch.dtype) -> Iterator[tuple[str, torch.Tensor]]:
    """All tensors under their new names, one at a time."""
    for tensor in source.reader.tensors:
        shape = tuple(int(size) for size in reversed(tensor.shape))
        numbers = gguf.dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32).reshape(shape)
        yield name_of(tensor.name), torch.from_numpy(numpy.ascontiguousarray(numbers)).to(dtype)


def convert(path: str, folder: Path) -> None:
    """Writes configuration and weights. Raises Unconvertible."""
    source = Source(path)
    config = config_of(source)
    folder.mkdir(parents=True, exist_ok=True)
    shard: dict[str, torch.Tensor] = {}
    places: dict[str, str] = {}
    files = 0

    def flush() -> None:
        nonlocal files
        files += 1
        name = f"model-{files:05}.safetensors"
        save_file(shard, folder / name, metadata={"format": "pt"})
        places.update(dict.fromkeys(shard, name))
        shard.clear()

    for name, tensor in tensors_of(source, getattr(torch, config["dtype"])):
        if shard and sum(one.nbytes for one in shard.values()) + tensor.nbytes > SHARD_BYTES:
            flush()
        shard[name] = tensor
    flush()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))
    (folder / "config.json").write_text(json.dumps(config, indent=2))

