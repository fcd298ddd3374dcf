"""The torch trainer. It runs in the folder of one run: reads spec.json, writes one JSON object per line to file descriptor 3, and takes
the lines `pause` and `cancel` on standard input. It ends when that input ends."""

import os
import sys
import warnings
from pathlib import Path

from slipway_torch.pipe import Pipe
from slipway_torch.spec import Spec


def main() -> int:
    spec = Spec.read(Path("spec.json"))
    # Libraries read it when they are loaded, and no other place bounds all of them.
    os.environ["OMP_NUM_THREADS"] = str(spec.threads)
    # cuBLAS adds up in the same order only with a workspace of fixed size, which it reads when it is loaded.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    # Of libraries to each other: the log is for those who train.
    warnings.simplefilter("ignore", FutureWarning)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from slipway_torch import start

    return start.run(spec, Pipe())


if __name__ == "__main__":
    sys.exit(main())
