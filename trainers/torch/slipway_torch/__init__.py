"""Trains LoRA adapters with torch from prepared tokens, under the contract of Slipway's trainers."""
