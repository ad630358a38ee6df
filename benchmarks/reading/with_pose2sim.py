"""Scales and tracks Pose2Sim's model with the markers of a TRC: FILE.trc OPENSIM_SETUP SET OUT.

FILE is of `poselift export --to trc --markers openpose` or `pose2sim`, OPENSIM_SETUP the folder of that name in the
package `pose2sim`, and SET is Body25 or Halpe26. Prints the marker errors; OUT gets scaled.osim and
inverse_kinematics.mot.
"""

import os
import sys
from pathlib import Path

import opensim

trc, setup, markers, out = Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute(), sys.argv[3], Path(sys.argv[4])
out.mkdir(parents=True, exist_ok=True)
os.chdir(out)
opensim.Logger.setLevelString("Error")
opensim.ModelVisualizer.addDirToGeometrySearchPaths(str(setup / "Geometry"))
times = opensim.TimeSeriesTableVec3(str(trc)).getIndependentColumn()

model = opensim.Model(str(setup / "Model_Pose2Sim_simple.osim"))
model.set_MarkerSet(opensim.MarkerSet(str(setup / f"Markers_{markers}.xml")))
model.initSystem()
model.printToXML("unscaled.osim")

scale = opensim.ScaleTool(str(setup / f"Scaling_Setup_Pose2Sim_{markers}.xml"))
scale.setPathToSubject("")
scale.getGenericModelMaker().setModelFileName("unscaled.osim")
span = opensim.ArrayDouble()
span.append(times[0])
span.append(times[-1])
scaler = scale.getModelScaler()
scaler.setMarkerFileName(str(trc))
scaler.setTimeRange(span)
scaler.setOutputModelFileName("scaled.osim")
scale.run()  # False, because Pose2Sim's setups place no markers

setup_file = setup / f"IK_Setup_Pose2Sim_{markers}.xml"
Path("inverse_kinematics.xml").write_bytes(setup_file.read_bytes())  # errors are written beside the setup
inverse = opensim.InverseKinematicsTool("inverse_kinematics.xml")
inverse.set_model_file("scaled.osim")
inverse.setMarkerDataFileName(str(trc))
inverse.setStartTime(times[0])
inverse.setEndTime(times[-1])
inverse.setOutputMotionFileName("inverse_kinematics.mot")
inverse.set_report_errors(True)
assert inverse.run()
(errors,) = Path.cwd().glob("*_ik_marker_errors.sto")
table = opensim.TimeSeriesTable(str(errors))
found = dict(zip(table.getColumnLabels(), 1000 * table.getMatrix().to_numpy().T, strict=True))
print(f"marker error {found['marker_error_RMS'].mean():.1f} mm (RMS, mean of frames)")
print(f"largest error of a marker {found['marker_error_max'].max():.0f} mm")
