"""The commands of the documentation, as people would type them."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from string import Template

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/*.md", "poselift/**/*.md")
    for path in ROOT.glob(pattern)
    if path.name != "CHANGELOG.md"
)

_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SHELL = ("", "bash", "sh")
_INLINE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_SETS = re.compile(r"^(\w+)=(\"[^\"]*\"|'[^']*')$", re.MULTILINE)
_BY_SHELL = {"PWD": "/tmp", "SLURM_ARRAY_TASK_ID": "3", "SLURM_JOB_ID": "1"}

FILLED_IN = {
    r" \.\.\.$": "",  # more overrides, or more videos, follow
    r"name=\.\.\.": "name=mine",
    r"attention=NAME name=NAME": "attention=performer name=performer",
    r"data=NAME": "data=h36m",  # the reader's own dataset
    r"window=N$": "window=27",
    r"NAME \[NAME\.\.\.\]": "small tiny",
    r"\[NAME\.\.\.\]": "small",
    r"weights get( NAME)?$": "weights get small",
    r"weights list\|get\|check": "weights list",
    r"batch --workers": "batch SOURCE --out DIR --workers",
    r"export --to html": "export walk/person_1.npz --to html",
}
"""Text that the reader fills in or completes -> what the tests take, for patterns in the text of a command."""


@dataclass(frozen=True)
class Command:
    """A command of ours: `program` is "poselift", "tools/NAME.py" or "benchmarks.NAME"."""

    program: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join([self.program, *self.arguments])

    @property
    def name(self) -> str:
        """The subcommand of `poselift`, also of a script that is the same; or else the script."""
        if self.program == "poselift":
            return self.arguments[0] if self.arguments else ""
        same = re.fullmatch(r"tools/(train|evaluate)\.py", self.program)
        return same[1] if same else self.program

    @property
    def config(self) -> str | None:
        """The config that the command composes; None if argparse reads its options."""
        return self.name if self.name in ("train", "evaluate") else None

    @property
    def overrides(self) -> list[str]:
        """What Hydra gets."""
        return list(self.arguments[self.program == "poselift" :])


def commands_of(page: Path) -> dict[str, Command]:
    """The commands of a page that are ours, by their text: lines of code blocks, and inline code with arguments."""
    text = page.read_text("utf-8")
    lines = [line for language, block in _BLOCK.findall(text) if language in _SHELL for line in _lines(block)]
    spans = [line for span in _INLINE.findall(_BLOCK.sub("", text)) for line in _lines(" ".join(span.split()))]
    found = {line: _ours(line) for line in lines}
    inline = {
        span: _ours(span) for span in spans if re.match(r"poselift |(python )?(tools|benchmarks)/|python -m", span)
    }
    found |= {span: command for span, command in inline.items() if command and not _names_an_option(command)}
    return {text: command for text, command in found.items() if command}


def scripts_of(page: Path) -> list[str]:
    """The batch scripts of a page."""
    return [block for _, block in _BLOCK.findall(page.read_text("utf-8")) if block.startswith("#!")]


def _names_an_option(command: Command) -> bool:
    """Whether inline code is the name of a command or of one of its options, such as `poselift lift --quality`."""
    own = command.arguments[command.program == "poselift" :]
    return not own or (len(own) == 1 and own[0].startswith("--"))


def _lines(block: str) -> list[str]:
    """The simple commands of a block, with its own variables filled in."""
    block = block.replace("\\\n", " ")
    variables = {name: shlex.split(value)[0] for name, value in _SETS.findall(re.sub(r" +", " ", block))}
    lines = []
    for line in block.splitlines():
        words = " ".join(line.split())
        words = Template(words).safe_substitute(_BY_SHELL | variables)
        lines += re.split(r" && | \| |; ", words)
    return lines


def _ours(line: str) -> Command | None:
    """The command of ours in a line, behind `python`, `srun` or `torchrun`; None if there is none."""
    for pattern, text in FILLED_IN.items():
        line = re.sub(pattern, text, line)
    try:
        words = shlex.split(line, comments=True)
    except ValueError:  # a quotation mark of a text
        return None
    if "--wrap" in words:  # of sbatch
        return _ours(words[words.index("--wrap") + 1])
    for place, word in enumerate(words):
        if word == "poselift":
            return Command(word, tuple(words[place + 1 :]))
        if found := re.fullmatch(r"(tools/\w+\.py|benchmarks[./](\w+)(\.py)?)", word):
            program = f"benchmarks.{found[2]}" if found[2] else word
            return Command(program, tuple(words[place + 1 :]))
    return None
