"""A section's tables: by group, by joint, by limb, with cost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from poselift.core.errors import InputError
from poselift.reports.cost import Cost, cost_key
from poselift.reports.entries import POINTS, Entry, Section, follow
from poselift.reports.measures import MEASURES
from poselift.reports.paired import paired_difference
from poselift.reports.protocols import PROTOCOLS
from poselift.reports.published import PublishedRow
from poselift.reports.tables import Cell, Column, Row, Table

PDJ_THRESHOLD = 0.2
"""The threshold of the PDJ table, a part of the torso's diameter."""

_DIGITS = {"mm/frame": 2, "mm/frame²": 2}
_GROUP_METRICS = tuple(dict.fromkeys(protocol.headline for protocol in PROTOCOLS.values()))
_JOINT_METRICS = ("mpjpe", "pck150")
_COSTS = (
    Column("Parameters", "M", "lower", 2),
    Column("MACs", "M/frame", "lower", 2),
    Column("Time", "ms/frame", "lower", 3),
    Column("Memory", "MB", "lower", 1),
)


def section_tables(
    section: Section, costs: Mapping[str, Cost] | None = None, peers: Sequence[PublishedRow] = ()
) -> list[Table]:
    """All tables of a section.

    Args:
        section: comparable runs.
        costs: by `cost_key`; without them there are no columns of cost.
        peers: published rows. Those of the section's protocol join the comparison, and the tables by group that they
            have values for.

    Raises:
        InputError: two runs of the section give a metric in different units.
    """
    _check_units(section)
    metrics = _titles(section, "metrics")
    first = section.results["headline"]
    grouped = [key for key in dict.fromkeys((first, *_GROUP_METRICS)) if key in metrics]
    cited = matching_peers(section, peers)
    tables = [_comparison(section, metrics, costs, cited), *_paired(section, metrics[first])]
    tables += [_by_group(section, key, metrics[key], cited) for key in grouped]
    tables += [_by_joint(section, key, metrics[key]) for key in _JOINT_METRICS if key in metrics]
    if "pdj" in _titles(section, "curves"):
        tables.append(_pdj(section))
    tables += [_by_limb(section, key, limbs) for key, limbs in _titles(section, "limbs").items()]
    return tables


def matching_peers(section: Section, peers: Sequence[PublishedRow]) -> list[tuple[PublishedRow, Entry]]:
    """The published rows for a section.

    Each comes with the first entry on the same kind of 2D.

    There are none if our runs lack views, frames, groups or joints of the protocol: the numbers would not compare.
    """
    name, headline = section.results["protocol"], section.headline
    protocol = PROTOCOLS.get(name)
    of_pck = MEASURES[section.results["headline"]].of_pck
    if (
        protocol is None
        or section.results["settings"].get("view") is not None
        or not protocol.has_frames(section.results["frames"])
        or not set(protocol.groups) <= set(headline["groups"])
        or not set(protocol.pck_joints if of_pck else protocol.joints) <= set(headline["joints"] or {})
    ):
        return []
    kinds = {entry.exact_points: entry for entry in reversed(section.entries)}
    return [(peer, kinds[peer.exact_points]) for peer in peers if peer.protocol == name and peer.exact_points in kinds]


def _titles(section: Section, kind: str) -> dict[str, Mapping[str, Any]]:
    """The metrics, limbs or curves of all runs, in order.

    The order is that of their first appearance.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for entry in section.entries:
        for run in entry.runs:
            for key, value in run.results[kind].items():
                found.setdefault(key, value)
    return found


def _check_units(section: Section) -> None:
    for kind in ("metrics", "limbs"):
        known = _titles(section, kind)
        for run in (run for entry in section.entries for run in entry.runs):
            for key, value in run.results[kind].items():
                if (value["unit"], value["better"]) != (known[key]["unit"], known[key]["better"]):
                    unit, other = value["unit"], known[key]["unit"]
                    raise InputError(f"{run.path}: {key} is in {unit}, in another run in {other}; evaluate both again")


def _column(values: Mapping[str, Any], title: str | None = None) -> Column:
    unit = values["unit"]
    return Column(title or values["title"], unit, values["better"], _DIGITS.get(unit, 1))


def _table(
    section: Section,
    name: str,
    title: str,
    columns: Sequence[Column],
    cells: Callable[[Entry], Sequence[Cell]],
    cited: Sequence[tuple[PublishedRow, Entry, Sequence[Cell]]] = (),
) -> Table:
    """A table with a row for each entry.

    Cited rows stand below those of the same data.
    """
    seeds = any(len(entry.runs) > 1 for entry in section.entries)
    # The settings of published rows are unknown, except these.
    known = [
        {
            **dict.fromkeys(POINTS, peer.keypoints or ("gt" if peer.exact_points else "detected")),
            "window": "" if peer.window is None else str(peer.window),
        }
        for peer, _, _ in cited
    ]
    printed = [*(entry.settings for entry in section.entries), *known]
    differing = (key for key in (*POINTS, "window") if known and len({row.get(key, "") for row in printed}) > 1)
    keys = tuple(dict.fromkeys((*section.varied, *differing)))
    opened = any(peer.weights for peer, _, _ in cited)
    labels = (
        "model",
        *(section.short(key) for key in keys),
        *(["seeds"] if seeds else []),
        *(["weights"] if opened else []),
    )
    citations = tuple(dict.fromkeys(peer.citation for peer, _, _ in cited))
    rows = []
    for entry in section.entries:
        settings = (entry.settings.get(key, "") for key in keys)
        own = (entry.name, *settings, *([str(len(entry.runs))] if seeds else []), *([""] if opened else []))
        rows.append(Row(own, tuple(cells(entry)), section.block(entry)))
    for (peer, like, values), given in zip(cited, known, strict=True):
        settings = (given.get(key, "") for key in keys)
        theirs = (peer.name, *settings, *([""] if seeds else []), *([peer.weights] if opened else []))
        # Rows that were not measured alike are not compared with the others.
        points = [given[key] for key in POINTS if given[key] not in (like.settings.get(key), "detected", "gt")]
        block = (*section.block(like), *points, *([peer.differs] if peer.differs else []))
        rows.append(Row(theirs, tuple(values), block, citations.index(peer.citation)))
    blocks = list(dict.fromkeys(row.block for row in rows))
    rows.sort(key=lambda row: blocks.index(row.block))
    common = section.common(keys)
    note = f"{'Rows measured here' if cited else 'All rows'}: {common}." if common else ""
    return Table(
        f"{section.name}_{name}", f"{section.title}: {title}", labels, tuple(columns), tuple(rows), citations, note
    )


def _comparison(
    section: Section,
    metrics: Mapping[str, Mapping[str, Any]],
    costs: Mapping[str, Cost] | None,
    peers: Sequence[tuple[PublishedRow, Entry]],
) -> Table:
    columns = [_column(values) for values in metrics.values()] + list(_COSTS if costs is not None else ())

    def cells(entry: Entry) -> list[Cell]:
        measured = [entry.at("metrics", key, "mean") for key in metrics]
        return measured if costs is None else measured + _cost_cells(costs.get(cost_key(entry)))

    def theirs(peer: PublishedRow) -> list[Cell]:
        known = [Cell(peer.values.get(key)) for key in metrics]
        counted = [Cell(peer.parameters), Cell(peer.macs)]
        # Time and memory depend on the machine, so those of other machines are left out.
        return known if costs is None else [*known, *counted, Cell(), Cell()]

    cited = [(peer, entry, theirs(peer)) for peer, entry in peers]
    return _table(section, "comparison", "all metrics", columns, cells, cited)


def _paired(section: Section, metric: Mapping[str, Any]) -> list[Table]:
    """The differences of all entries from the first one.

    None where no two say the values of their sequences.
    """
    reference = section.entries[0]
    results = [[run.results for run in entry.runs] for entry in section.entries]
    found = [paired_difference(own, results[0]) for own in results]
    if not any(found[1:]):
        return []
    unit = metric["unit"]
    columns = (
        Column("Difference", unit, None, 2),
        Column("From", unit, None, 2),
        Column("To", unit, None, 2),
        Column("Sequences", "", None, 0),
    )
    table = _table(
        section,
        "paired",
        f"{metric['title']} minus that of {section.label(reference)}, with its 95 % interval by a paired bootstrap "
        "over sequences; below 0 is " + ("better" if metric["better"] == "lower" else "worse"),
        columns,
        lambda entry: [Cell(value) for value in found[section.entries.index(entry)] or [None] * len(columns)],
    )
    return [replace(table, rows=table.rows[1:])]  # without the reference


def _cost_cells(cost: Cost | None) -> list[Cell]:
    if cost is None:
        return [Cell()] * len(_COSTS)
    return [Cell(cost.parameters / 1e6), Cell(cost.macs / 1e6), Cell(cost.ms), Cell(cost.memory / 1e6)]


def _by_element(
    section: Section,
    name: str,
    title: str,
    values: Mapping[str, Any],
    place: tuple[str, str],
    columns: Sequence[tuple[str, tuple[str, ...]]],
    cited: Sequence[tuple[PublishedRow, Entry, Sequence[Cell]]] = (),
) -> Table:
    """A table of the numbers below a place of `metrics.json`.

    A column has a title and the keys from there on.
    """
    heads = [_column(values, head) for head, _ in columns]
    return _table(section, name, title, heads, lambda entry: [entry.at(*place, *keys) for _, keys in columns], cited)


def _by_group(
    section: Section, key: str, metric: Mapping[str, Any], peers: Sequence[tuple[PublishedRow, Entry]]
) -> Table:
    by, groups = section.results["group_by"], list(section.headline["groups"])
    columns = [*((group, ("groups", group)) for group in groups), ("Mean", ("mean",))]
    cited = [
        (peer, entry, [*(Cell(peer.groups[key].get(group)) for group in groups), Cell(peer.values[key])])
        for peer, entry in peers
        if key in peer.groups
    ]
    title = f"{metric['title']} by {by}"
    return _by_element(section, f"{key}_by_{by}", title, metric, ("metrics", key), columns, cited)


def _joints(section: Section, kind: str, key: str) -> list[str]:
    """The joints with values in any run, in order.

    The order is that of their first appearance.
    """
    runs = (run.results[kind].get(key, {}) for entry in section.entries for run in entry.runs)
    return list(dict.fromkeys(joint for values in runs for joint in values.get("joints") or {}))


def _by_joint(section: Section, key: str, metric: Mapping[str, Any]) -> Table:
    joints = _joints(section, "metrics", key)
    columns = [*((joint.replace("_", " "), ("joints", joint)) for joint in joints), ("All frames", ("frames",))]
    title = f"{metric['title']} by joint, over all frames"
    return _by_element(section, f"{key}_by_joint", title, metric, ("metrics", key), columns)


def _by_limb(section: Section, key: str, measure: Mapping[str, Any]) -> Table:
    columns = [*((limb.replace("_", " "), ("values", limb)) for limb in measure["values"]), ("All frames", ("mean",))]
    title = f"{measure['title']} by limb, over all frames"
    return _by_element(section, f"{key}_by_limb", title, measure, ("limbs", key), columns)


def _pdj(section: Section) -> Table:
    joints = _joints(section, "curves", "pdj")

    def pick(results: Mapping[str, Any], *keys: str) -> float | None:
        values, thresholds = (follow(results, "curves", "pdj", *each) or () for each in (keys, ("thresholds",)))
        return dict(zip(thresholds, values, strict=False)).get(PDJ_THRESHOLD)

    def cells(entry: Entry) -> list[Cell]:
        places = [*(("joints", joint) for joint in joints), ("mean",)]
        return [Cell.of([pick(run.results, *keys) for run in entry.runs]) for keys in places]

    columns = [Column(title.replace("_", " "), "%", "higher") for title in (*joints, "All frames")]
    return _table(section, "pdj_by_joint", f"PDJ@{PDJ_THRESHOLD} by joint, over all frames", columns, cells)
