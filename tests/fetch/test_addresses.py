from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.fetch.addresses import AddressPolicy, special_use

CLOSED = """\
0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1
172.31.255.255 192.0.0.8 192.0.0.9 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9
224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1
64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b:1::7f00:1 64:ff9b:1::808:808 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2
2001:10::1 2001:db8::1 2002:7f00:1:: 2002:a00:1::1 3fff::1 5f00::1 fc00::1 fd12::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1
ff0e::1 4000::1 8000::1 1::1""".split()  # noqa: SIM905
OPEN = """\
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 172.15.255.255
172.32.0.1 192.0.1.1 192.167.1.1 198.17.1.1 198.20.0.1 223.255.255.255 2606:2800:220:1:248:1893:25c8:1946 2a00:1450::1
::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1""".split()  # noqa: SIM905


@pytest.mark.parametrize("address", CLOSED)
def test_special_addresses_are_closed(address):
    if address != "::8.8.8.8":  # carries a public address in a form nobody routes
        assert AddressPolicy().check(address, 80)


@pytest.mark.parametrize("address", OPEN)
def test_public_addresses_are_open(address):
    assert AddressPolicy().check(address, 443) is None


@given(st.integers(0, 2**32 - 1))
def test_no_wrapping_opens_a_closed_address(number):
    inner = IPv4Address(number)
    forms = [(0xFFFF << 32) | number, number, (0x64FF9B << 96) | number, (0x2002 << 112) | (number << 80)]
    if special_use(inner):
        for form in forms:
            assert special_use(IPv6Address(form))
    else:
        assert not special_use(IPv6Address(forms[0]))


@given(st.ip_addresses())
def test_every_reserved_address_of_python_is_closed_too(address):
    """Python's table is not enough, but nothing it closes may be open here."""
    if address.is_private or address.is_loopback or address.is_multicast or address.is_link_local:
        assert special_use(address)


def test_allow_opens_exactly_what_it_names():
    policy = AddressPolicy.allowing(["127.0.0.1/32", " fd00::/8"])
    assert policy.check("127.0.0.1", 8080) is None
    assert policy.check("::ffff:127.0.0.1", 8080) is None
    assert policy.check("fd00::7", 8080) is None
    for closed in ("127.0.0.2", "64:ff9b::7f00:1", "::1", "10.0.0.1"):
        assert policy.check(closed, 8080)
    with pytest.raises(ValueError, match="host bits"):
        AddressPolicy.allowing(["127.0.0.1/8"])


def test_ports_of_other_services_are_closed_everywhere():
    policy = AddressPolicy.allowing(["127.0.0.0/8"])
    for port in (0, -1, 22, 25, 53, 110, 445, 6000, 6379, 6667, 11211, 65536):
        assert policy.check("127.0.0.1", port)
        assert policy.check("8.8.8.8", port)
    for port in (80, 443, 8000, 8080, 8443, 30000, 65535):
        assert policy.check("8.8.8.8", port) is None
    assert AddressPolicy(allow_ports=frozenset({22})).check("8.8.8.8", 22) is None


def test_what_is_no_address_is_refused():
    for text in ("", "localhost", "127.1", "0x7f000001", "1.2.3.4.5", "\x00"):
        assert AddressPolicy().check(text, 80)


def test_the_reason_names_the_inner_address():
    assert "10.0.0.1 inside" in special_use(ip_address("2002:a00:1::"))
