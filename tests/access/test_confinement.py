"""The policy of the replay origin: script for rewritten pages only, an origin of its own for every page of readers."""

from strandline.access.confinement import confining_headers


def policy(*words, **named):
    return dict(confining_headers(*words, **named))[b"content-security-policy"].decode()


def test_readers_never_get_pages_of_the_same_origin():
    for runs in (True, False):
        assert "allow-same-origin" not in policy("http://127.0.0.1:8080", runs)
    assert policy("", False).endswith("; sandbox")
    assert policy("", True).endswith("; sandbox allow-scripts allow-forms")


def test_only_the_interface_may_frame_a_page():
    assert "frame-ancestors 'self' http://127.0.0.1:8080;" in policy("http://127.0.0.1:8080", True)
    assert "frame-ancestors" not in policy("", True)


def test_browsers_of_our_own_read_frames():
    assert policy("", True, frames_open=True).endswith("allow-same-origin")
