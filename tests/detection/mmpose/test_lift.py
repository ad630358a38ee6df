import json

from poselift.cli.main import main
from poselift.export import read_motion
from poselift.skeleton import HALPE26

HALPE = "rtmpose-t_8xb1024-700e_body8-halpe26-256x192"
PERSON = "rtmdet_nano_320-8xb32_coco-person"


def test_a_video_is_lifted_with_mmpose(checkpoint, tmp_path, capsys):
    """From the command line to the motion; random weights find nobody in particular, but they find somebody."""
    models = ["--mmpose-config", HALPE, "--mmpose-checkpoint", checkpoint(HALPE)]
    models += ["--mmpose-person-detector", PERSON, "--mmpose-person-checkpoint", checkpoint(PERSON)]
    main(
        ["lift", "--end", "0.5", "--out", str(tmp_path), "--detector", "mmpose", *models, "--quiet", "--device", "cpu"]
    )
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["weights"]["detector"]["name"] == "mmpose"
    assert set(summary["weights"]["detector"]["sha256"]) == {f"{HALPE}.pth", f"{PERSON}.pth"}
    assert (tmp_path / "overlay.mp4").is_file()
    motion = read_motion(tmp_path / f"person_{summary['people'][0]['id']}.npz")
    assert motion.keypoints.skeleton == HALPE26
    assert capsys.readouterr() == ("", "")
