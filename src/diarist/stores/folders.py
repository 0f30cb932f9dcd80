"""What kind of place a folder is."""

# pathlib would cost a cold search more than SQLite does.
# ruff: noqa: PTH123
from __future__ import annotations

import os

NETWORK_FILE_SYSTEMS = frozenset(
    (
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "davfs",
        "gfs2",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "smb2",
        "smb3",
        "smbfs",
        "virtiofs",
        "fuse.glusterfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
    )
)
"""Types of file systems on which locks may not reach the other machines."""
_ESCAPES = (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\"))


def network_file_system(path: str, mounts: str | None = None) -> str:
    """Type of the network file system that holds `path` ("nfs4"), or "" where it is on a local one or that cannot be told.

    `mounts` is the system's mount table as in Linux's `/proc/mounts`, read from there by default. SQLite's locks do
    not hold between machines on such file systems.
    """
    if mounts is None:
        try:
            with open("/proc/mounts", encoding="utf-8", errors="surrogateescape") as file:
                mounts = file.read()
        except OSError:
            return ""
    place = os.path.realpath(path)
    best, kind = "", ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1]
        for escape, character in _ESCAPES:
            point = point.replace(escape, character)
        if len(point) >= len(best) and (place == point or place.startswith(point.rstrip("/") + "/")):
            best, kind = point, fields[2]
    return kind if kind in NETWORK_FILE_SYSTEMS else ""
