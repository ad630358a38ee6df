"""The command as a researcher runs it, on small files in the CMU format and in Human3.6M's."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from omegaconf import OmegaConf

from poselift.cli.config import CONF
from poselift.cli.evaluate import evaluate
from poselift.cli.predictions import _OF_FILES, _OF_LIFTERS, LifterPredictions, PeerPredictions
from poselift.core.errors import InputError
from poselift.data.cmu_bench import CmuBench
from poselift.data.h36m import ACTIONS
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import View, render_views
from poselift.lifting import LiftOptions, lift
from poselift.lifting.dataset_views import camera_of, keypoints_of
from poselift.metrics import joint_errors
from poselift.models import LifterConfig, SpatioTemporalLifter, lift_windows, load_weights, save_weights
from poselift.models.motionbert import DSTformer
from poselift.models.peer_checkpoints import load_peer
from poselift.models.videopose3d import VideoPose3D
from poselift.reports.protocols import PROTOCOLS
from poselift.skeleton import CMU28, H36M17
from tests.cli.running import poselift
from tests.data.formats.cmu import write_cmu
from tests.data.formats.h36m import write_h36m, write_h36m_motionbert
from tests.data.formats.humaneva import write_humaneva
from tests.data.formats.mpi_inf_3dhp import write_mpi_inf_3dhp_test
from tests.data.formats.pw3d import write_pw3d
from tests.data.formats.surreal import write_surreal

NUMBERS = ("metrics", "limbs", "curves", "over_time", "frames", "views", "seed", "model", "name")
"""What must not depend on the predictions' origin."""


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """A tiny lifter, untrained."""
    path = tmp_path_factory.mktemp("weights") / "tiny.safetensors"
    torch.manual_seed(0)
    lifter = SpatioTemporalLifter(LifterConfig(joint_dim=16, frame_dim=32, dim=32, depth=1, heads=4))
    save_weights(path, lifter, 16, {"seed": 5})
    return path


@pytest.fixture(scope="module")
def cmu_files(tmp_path_factory):
    """The files of the `cmu_files` of all tests, for this module; of clips of half the length."""
    return write_cmu(tmp_path_factory.mktemp("cmu"), synthetic_corpus(clips=6, frames=75, seed=0))


@pytest.fixture(scope="module")
def bench(cmu_files):
    corpus, bench = cmu_files
    return ["protocol=cmu_bench", f"data.corpus={corpus}", f"data.bench={bench}"]


@pytest.fixture(scope="module")
def live(weights, bench, tmp_path_factory):
    """The folder of an evaluation of the weights with the defaults, its metrics.json and table.txt."""
    folder = tmp_path_factory.mktemp("live") / "out"
    return folder, *run(folder, *bench, f"weights={weights}")


def run(output, *overrides):
    """Runs the command in this process; returns metrics.json and table.txt."""
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("evaluate", [*map(str, overrides), f"output={output}"])
    evaluate(config)
    return json.loads((output / "metrics.json").read_text()), (output / "table.txt").read_text()


@pytest.mark.slow
def test_the_command_prints_the_table_that_it_writes(weights, bench, tmp_path):
    ran = poselift("evaluate", *bench, "data.skeleton=coco17", f"weights={weights}", f"output={tmp_path / 'out'}")
    assert ran.code == 0, ran.err
    assert (tmp_path / "out" / "table.txt").read_text() in ran.out
    assert "Not comparable with errors on Human3.6M" in ran.out
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"metrics.json", "predictions.npz", "table.txt"}
    results = json.loads((tmp_path / "out" / "metrics.json").read_text())
    assert (results["format"], results["version"], results["protocol"]) == ("poselift-metrics", 1, "cmu_bench")
    assert (results["name"], results["seed"], results["group_by"]) == ("tiny", 5, "subject")
    assert results["settings"]["data"]["skeleton"] == "coco17"
    assert results["environment"]["command"].startswith("python ")
    assert results["model"]["name"] == "SpatioTemporalLifter"


@pytest.mark.slow
def test_other_protocols_are_scored_from_the_same_predictions(weights, bench, live, tmp_path, monkeypatch):
    """One inference for all, with the numbers of an evaluation for each."""
    predict, lifted = LifterPredictions.predict, []

    def counted(self, view):
        lifted.append(view.name)
        return predict(self, view)

    monkeypatch.setattr(LifterPredictions, "predict", counted)
    first, _ = run(tmp_path / "both", *bench, f"weights={weights}", "also=[all_views,surreal]")
    assert len(lifted) == len(set(lifted)) == first["views"]
    folder, alone, table = live
    assert {key: first[key] for key in NUMBERS} == {key: alone[key] for key in NUMBERS}
    for name in ("all_views", "surreal"):
        also = json.loads((tmp_path / "both" / name / "metrics.json").read_text())
        assert also["protocol"] == name
        assert (tmp_path / "both" / name / "table.txt").read_text() != table
        with initialize_config_dir(CONF, version_base="1.3"):
            saved = f"predictions={folder / 'predictions.npz'}"  # they give the same, as another test shows
            config = compose("evaluate", [*map(str, bench), saved, f"output={tmp_path / name}"])
        config.protocol = name
        evaluate(config)
        apart = json.loads((tmp_path / name / "metrics.json").read_text())
        assert {key: also[key] for key in NUMBERS} == {key: apart[key] for key in NUMBERS}


@pytest.mark.parametrize(
    ("also", "message"),
    [
        ("[cmu_bench]", "also=cmu_bench is a protocol that is scored already"),
        ("[h36m]", "no protocol is called 'h36m'"),
    ],
)
def test_protocols_that_cannot_be_added_are_named(also, message, weights, bench, tmp_path):
    with pytest.raises(InputError, match=message):
        run(tmp_path, *bench, f"weights={weights}", f"also={also}")


def test_the_numbers_are_those_of_the_lifter(weights, cmu_files, bench, tmp_path):
    alone = ("flip=false", "refine=false", "constant_bones=false", "window=75")
    results, _ = run(tmp_path / "out", *bench, f"weights={weights}", *alone)
    lifter, errors = load_weights(weights), []
    for view in CmuBench(*cmu_files):
        scores = view.scores.where(view.scores >= 0.2, 0.0)
        seen = (view.keypoints, scores, view.times, view.K, view.image_size)
        with torch.no_grad():
            predicted = lift_windows(lifter.lifter, *(values[None] for values in seen), flip=False).joints[0]
        target = view.joints[:, :17]
        errors.append(joint_errors(predicted - predicted[:, :1], target).values)
    assert results["metrics"]["mpjpe"]["frames"] == pytest.approx(float(torch.cat(errors).mean()), rel=1e-6)
    assert results["metrics"]["mpjpe"]["groups"] == {"s02": results["metrics"]["mpjpe"]["mean"]}
    assert results["model"]["parameters"] == sum(p.numel() for p in lifter.lifter.parameters())


@pytest.mark.slow
def test_every_path_gives_the_same_to_the_last_digit(weights, bench, live, tmp_path):
    folder, one, table = live
    saved, saved_table = run(tmp_path / "saved", *bench, f"predictions={folder / 'predictions.npz'}")
    two, two_table = run(tmp_path / "two", *bench, f"weights={weights}", "processes=2")
    assert table == saved_table == two_table
    for key in NUMBERS:
        assert one[key] == saved[key] == two[key]
    again = [(path / "predictions.npz").read_bytes() for path in (folder, tmp_path / "saved")]
    assert again[0] == again[1]


@pytest.mark.slow
def test_every_setting_changes_the_error(weights, cmu_files, bench, tmp_path):
    arrays = dict(np.load(cmu_files[1]))
    arrays["scores"][20:60, CMU28.index("left_knee")] = 128  # between the thresholds
    np.savez(tmp_path / "unsure.npz", **arrays)
    one = [*bench[:2], f"data.bench={tmp_path / 'unsure.npz'}", "view=a", f"weights={weights}"]
    plain, _ = run(tmp_path / "a", *one)
    with initialize_config_dir(CONF, version_base="1.3"):
        usual = compose("evaluate", one)  # once, because it takes as long as the lift
    for number, setting in enumerate(
        (
            "flip=false",
            "camera=assumed",
            "window=8",
            "constant_bones=false",
            "refine=false",
            "threshold=0.9",
            "data.keypoints=gt",
        )
    ):
        output = tmp_path / str(number)
        evaluate(OmegaConf.merge(usual, OmegaConf.from_dotlist([setting, f"output={output}"])))
        other = json.loads((output / "metrics.json").read_text())
        assert other["metrics"]["mpjpe"] != plain["metrics"]["mpjpe"]
    varying = json.loads((tmp_path / "3" / "metrics.json").read_text())
    assert plain["metrics"]["bone_variation"]["mean"] < 1e-3 < varying["metrics"]["bone_variation"]["mean"]
    defaults = {key: plain["settings"][key] for key in ("threshold", "flip", "refine", "constant_bones")}
    assert defaults == {key: getattr(LiftOptions(), key) for key in defaults}


@pytest.mark.slow
def test_a_checkpoint_gives_the_results_of_its_weights(weights, bench, live, tmp_path):
    loaded = load_weights(weights)
    content = {
        "state_dict": {f"lifter.{key}": value for key, value in loaded.lifter.state_dict().items()},
        "model": {"name": "SpatioTemporalLifter", "config": loaded.card["config"], "window": 16},
        "epoch": 0,
        "global_step": 2,
    }
    torch.save(content, tmp_path / "last.ckpt")
    _, one, _ = live
    other, _ = run(tmp_path / "other", *bench, f"weights={tmp_path / 'last.ckpt'}", "name=mine")
    assert one["metrics"] == other["metrics"]
    assert other["name"] == "mine"


@pytest.mark.slow
def test_other_predictions_under_the_protocols_of_human36m(tmp_path):
    """A test set as VideoPose3D keeps it, in mm."""
    write_h36m(
        tmp_path, frames=4, some=(*ACTIONS, "Directions 1")
    )  # a take of each action: S11 has no first Directions
    data = ["data.keypoints=gt", f"data.root={tmp_path}"]
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("evaluate", ["protocol=h36m_p1", *data])
    tree = {}
    for view in instantiate(config.data):
        subject, take, _ = view.name.split("/")
        tree.setdefault(subject, {}).setdefault(take, []).append(1100 * view.joints.numpy())
    np.savez(tmp_path / "theirs.npz", positions_3d=tree)
    theirs = [*data, f"predictions={tmp_path / 'theirs.npz'}", "unit=mm"]
    results, table = run(tmp_path / "out", "protocol=h36m_p1", *theirs)
    assert (results["group_by"], results["model"]) == ("action", None)
    assert "SittingDown" in table
    metrics = results["metrics"]
    assert len(metrics["mpjpe"]["groups"]) == 15
    # A tenth too large: a tenth of the mean distance from the pelvis, and nothing once scaled.
    walks = [
        clip for clips in tree.values() for take, cameras in clips.items() if take[:7] == "Walking" for clip in cameras
    ]
    distance = np.concatenate([np.linalg.norm(clip, axis=-1).ravel() for clip in walks]).mean()
    assert metrics["mpjpe"]["groups"]["Walking"] == pytest.approx(distance / 11, rel=1e-4)
    assert max(metrics["p_mpjpe"]["mean"], metrics["n_mpjpe"]["mean"]) < 1e-3


DATASETS = {
    "mpi_inf_3dhp": (
        lambda folder: write_mpi_inf_3dhp_test(folder, {f"TS{number}": 20 for number in range(1, 7)}),
        ["green screen", "no green screen", "outdoor"],
        6 * 16,
    ),
    "humaneva": (
        lambda folder: write_humaneva(folder, frames=8),
        [f"S{number} {action}" for number in (1, 2, 3) for action in ("Box", "Jog", "Walking")],
        3 * 9 * 8,
    ),
    "pw3d": (
        lambda folder: write_pw3d(folder, {"test/office_call_00": (10, 2), "test/office_call_01": (10, 1)}),
        ["office_call_00", "office_call_01"],
        9 + 9 + 9,
    ),
    "surreal": (
        lambda folder: write_surreal(folder, {f"test/run{run}/01_01/1": 12 for run in range(3)}),
        ["01"],
        3 * 12,
    ),
}
"""For each protocol what writes its data, the rows of its table, and how many frames count."""


@pytest.mark.slow
@pytest.mark.parametrize("protocol", DATASETS)
def test_a_lifter_under_the_protocols_of_other_datasets(weights, protocol, tmp_path):
    write, rows, frames = DATASETS[protocol]
    write(tmp_path)
    results, _ = run(tmp_path / "out", f"protocol={protocol}", f"data.root={tmp_path}", f"weights={weights}")
    assert list(results["metrics"]["mpjpe"]["groups"]) == rows
    assert results["frames"] == frames
    counted = set(results["metrics"]["mpjpe"]["joints"])
    assert counted == set(PROTOCOLS[protocol].joints) & set(H36M17.joints)
    assert set(results["metrics"]["pck150"]["joints"]) == set(PROTOCOLS[protocol].pck_joints) & set(H36M17.joints)
    if protocol == "humaneva":
        assert any("h36m17 has no head" in warning for warning in results["settings"]["warnings"])


@pytest.mark.slow
def test_views_with_exchanged_sides_are_put_back_and_counted(bench):
    """What is evaluated is what `poselift lift` gives, and a warning says so."""
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("evaluate", [*map(str, bench), "weights=tiny"])
    first, second = render_views(synthetic_corpus(2, 150, seed=5), seed=6)[:2]
    others = list(first.keypoint_skeleton.flip_indices)
    keypoints, scores = first.keypoints.clone(), first.scores.clone()
    keypoints[80:], scores[80:] = keypoints[80:][:, others], scores[80:][:, others]
    predictions, protocol = LifterPredictions(config), PROTOCOLS["cmu_bench"]
    told = "exchanged in a tenth or more of the frames of 1 of 2 views; they are put back as far as they are sure"
    wrong = replace(first, keypoints=keypoints, scores=scores)
    right = predictions.predict(first)
    np.testing.assert_array_equal(predictions.predict(wrong), right)
    weights, camera = load_weights("tiny"), camera_of(wrong)
    as_given = lift(keypoints_of(wrong), weights, camera, LiftOptions(every_frame=True)).joints
    assert 1000 * np.linalg.norm(as_given - right, axis=-1).mean() > 60
    assert told in predictions.warnings([wrong, second], protocol)[0]
    another = LifterPredictions(config)  # as of a process that predicted nothing
    assert told in another.warnings([wrong, second], protocol)[0]
    assert not any("exchanged" in text for text in another.warnings([replace(first, name="first"), second], protocol))


@pytest.mark.parametrize("causal", [False, True])
def test_a_checkpoint_of_the_other_kind_is_told(causal, tmp_path):
    """VideoPose3D's file does not say whether its network is causal; read as the other kind, its errors are wrong."""
    torch.manual_seed(0)
    network, path = VideoPose3D((3, 3), 8).eval(), tmp_path / "theirs.bin"
    torch.save({"model_pos": network.state_dict()}, path)
    times = torch.arange(40) / 50
    points = 500 + 200 * torch.sin(9 * times[:, None, None] + torch.arange(34).reshape(17, 2))
    joints = load_peer(path, causal).lift(points, (1000.0, 1000.0))
    view = View(
        *("a", "S9", points, torch.ones(40, 17), times, torch.eye(3), torch.tensor([1000.0, 1000.0])),
        *(joints - joints[:, :1], torch.zeros(40, 3), H36M17, H36M17),
    )
    with initialize_config_dir(CONF, version_base="1.3"):
        given, right = (
            PeerPredictions(compose("evaluate", [f"weights={path}", "device=cpu", f"causal={value}"]))
            for value in (not causal, causal)
        )
    warning = given.warnings([view], PROTOCOLS["h36m_p1"])
    kind, value = ("causal", "true") if causal else ("not causal", "null")
    assert f"the checkpoint seems to be {kind}: 0.0 mm on a instead of" in warning[0]
    assert f"evaluate again with causal={value}" in warning[0]
    assert right.warnings([view], PROTOCOLS["h36m_p1"]) == []
    np.testing.assert_allclose(right.predict(view), view.joints.numpy(), atol=1e-6)


@pytest.mark.slow
def test_a_checkpoint_of_motionbert_has_the_error_of_its_own_evaluation(tmp_path):
    """Its output in pixels times the file's 2.5d_factor, against joints_2.5d_image: whole clips only."""
    write_h36m_motionbert(tmp_path, 12, some=("Walking", "Sitting"))
    torch.manual_seed(0)
    network = DSTformer(dim=16, hidden=32, depth=1, rep=16, field=5).eval()
    torch.save({"model_pos": network.state_dict()}, tmp_path / "best_epoch.bin")
    test = pickle.loads((tmp_path / "h36m_sh_conf_cam_source_final.pkl").read_bytes())["test"]
    source, errors = np.asarray(test["source"]), {"Sitting": [], "Walking": []}
    for name in dict.fromkeys(source.tolist()):
        frames = np.flatnonzero(source == name)
        pixels, scores = (torch.tensor(np.asarray(test[key])[frames]).float() for key in ("joint_2d", "confidence"))
        height = 1002.0 if test["camera_name"][frames[0]] in ("54138969", "60457274") else 1000.0
        joints = network.lift(pixels, scores.reshape(len(frames), 17), (1000.0, height)).numpy()
        frames = frames[: len(frames) // 5 * 5]
        predicted = joints[: len(frames)] * np.asarray(test["2.5d_factor"])[frames, None, None]
        truth = np.asarray(test["joints_2.5d_image"])[frames]
        errors[test["action"][frames[0]]].append(np.linalg.norm(predicted - (truth - truth[:, :1]), axis=-1).mean(-1))
    data = ["protocol=h36m_p1", "views@data=h36m_motionbert", f"data.root={tmp_path}", "data.clip=5"]
    results, _ = run(tmp_path / "out", *data, "depth=known", f"weights={tmp_path / 'best_epoch.bin'}")
    expected = {action: np.concatenate(clips).mean() for action, clips in errors.items()}
    assert results["metrics"]["mpjpe"]["groups"] == pytest.approx(expected, rel=1e-4)
    assert results["model"]["name"] == "MotionBERT"
    for more, message in {
        "depth=estimated": "MotionBERT's network gives pixels, not metres; take the scale of the truth by depth=known",
        "causal=true": "causal=True has no effect on a checkpoint of MotionBERT",
    }.items():
        ran = poselift("evaluate", *data, f"weights={tmp_path / 'best_epoch.bin'}", more)
        assert (ran.code, message in ran.err) == (2, True), ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["causal=true"], "causal=True is of checkpoints of VideoPose3D; leave it out"),
        (["weights=nonsense"], "no shipped weights are called 'nonsense'"),
        (["weights=null"], "weights= and predictions= are both null; give one of them"),
        (["depth=odd"], "depth=odd is not known; choose estimated, known"),
        (["window=0"], "window=0 must be a whole number, 1 or more"),
        (["view=nobody"], "no view is called 'nobody'; there are 2, e.g. a, b"),
        (["predictions=nothing.npz"], "no such file: nothing.npz"),
        (["predictions=nothing.npz", "weights=null"], "no such file: nothing.npz"),
        (["joints=coco17"], "joints=coco17 has no effect on a lifter; leave it out"),
        (["predictions=a.npz", "flip=false"], "flip=False has no effect on predictions=; leave it out"),
    ],
)
def test_bad_input_names_what_is_wrong(bench, arguments, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        run(tmp_path, *bench, *arguments)


def test_what_has_no_effect_is_told_by_the_defaults():
    usual = OmegaConf.load(f"{CONF}/evaluate.yaml")
    assert {name: usual[name] for name in {**_OF_FILES, **_OF_LIFTERS}} == {**_OF_FILES, **_OF_LIFTERS}
