"""What kind of place a folder is."""

from __future__ import annotations

from pathlib import Path

from diarist.stores.folders import network_file_system

MOUNTS = """\
/dev/vda / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/vdb /home/local ext4 rw 0 0
//server/share /mnt/two\\040words cifs rw 0 0
me@host: /mnt/far fuse.sshfs rw 0 0
tmpfs /homestead tmpfs rw 0 0
broken line
"""


def test_the_deepest_mount_decides() -> None:
    assert network_file_system("/home/me/diary", MOUNTS) == "nfs4"
    assert network_file_system("/home", MOUNTS) == "nfs4"
    assert network_file_system("/home/local/diary", MOUNTS) == ""
    assert network_file_system("/homestead/x", MOUNTS) == ""
    assert network_file_system("/mnt/two words/x", MOUNTS) == "cifs"
    assert network_file_system("/mnt/far", MOUNTS) == "fuse.sshfs"
    assert network_file_system("/var", MOUNTS) == ""


def test_no_table_of_mounts_means_unknown(tmp_path: Path) -> None:
    assert network_file_system(str(tmp_path), "") == ""
    assert network_file_system(str(tmp_path)) == ""
