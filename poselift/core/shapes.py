"""Legend of the axes in all shape annotations of the project.

| letter | axis |
|---|---|
| `b` | batch |
| `t` | time, frames |
| `j` | joint |
| `n` | people in one frame |
| `h w` | rows and columns of a picture |
| `d` | width of a layer |
| `*batch` | any leading axes |

Units: metres, seconds and radians inside; keypoints in pixels (x to the right, y down; (0, 0) is the
centre of the top-left pixel, as in OpenCV); errors are reported in millimetres.

Camera frame: x right, y down, z forward. World frame: right-handed, Y up.
"""
