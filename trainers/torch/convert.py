"""Makes the form of Hugging Face of a base that there is as GGUF: `convert.py BASE.gguf FOLDER`. Ends with 3 and a sentence where there
is none."""

import sys
from pathlib import Path

from slipway_torch.convert import Unconvertible, convert

if __name__ == "__main__":
    try:
        convert(sys.argv[1], Path(sys.argv[2]))
    except Unconvertible as error:
        print(error)
        sys.exit(3)
