"""Greedy answers of a base with a PEFT adapter, as tokens: `greedy-answers.py ASKED.json`."""

import json
import sys

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM
from transformers.utils import logging

logging.disable_progress_bar()
torch.set_num_threads(1)
with open(sys.argv[1]) as file:
    asked = json.load(file)
base = AutoModelForCausalLM.from_pretrained(asked["base"], dtype=torch.float32, local_files_only=True)
model = PeftModel.from_pretrained(base, asked["adapter"]).eval()
answers = []
for prompt in asked["prompts"]:
    ids = torch.tensor([prompt])
    with torch.no_grad():
        found = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=asked["tokens"], do_sample=False)
    answers.append(found[0, len(prompt) :].tolist())
print(json.dumps(answers))
