"""Where a site keeps its clock: a time zone and a country guessed from host name and page language.

A pattern is only sharp in the site's own time: editors come to work at nine *there*. The guess needs no
look-up service. In order: a country's top-level domain (`.fr`, `.gov.br`), the region in the page's language
tag (`pt-BR`), the language alone when one country stands for it (`ja`), else UTC and no holidays. Countries with
several zones stand by the zone most people live in. Top-level domains that are sold to everybody (`.tv`, `.io`)
say nothing. The guess is only a start: an archivist may set the zone of a site.
"""

from dataclasses import dataclass

# "ar:America/Argentina/Buenos_Aires" would repeat the area names two hundred times: one line per area instead.
_CITIES = {
    "Africa": "ao:Luanda bf:Ouagadougou bi:Bujumbura bj:Porto-Novo bw:Gaborone cd:Kinshasa cf:Bangui cg:Brazzaville "
    "ci:Abidjan cm:Douala dz:Algiers eg:Cairo er:Asmara et:Addis_Ababa ga:Libreville gh:Accra gm:Banjul gn:Conakry "
    "gq:Malabo gw:Bissau ke:Nairobi lr:Monrovia ls:Maseru ma:Casablanca ml:Bamako mr:Nouakchott mw:Blantyre "
    "mz:Maputo na:Windhoek ne:Niamey ng:Lagos rw:Kigali sd:Khartoum sl:Freetown sn:Dakar ss:Juba sz:Mbabane "
    "td:Ndjamena tg:Lome tn:Tunis tz:Dar_es_Salaam ug:Kampala za:Johannesburg zm:Lusaka zw:Harare",
    "America": "aw:Aruba bb:Barbados bo:La_Paz br:Sao_Paulo bs:Nassau ca:Toronto cl:Santiago cr:Costa_Rica "
    "cu:Havana cw:Curacao dm:Dominica do:Santo_Domingo ec:Guayaquil gd:Grenada gf:Cayenne gp:Guadeloupe "
    "gt:Guatemala gy:Guyana hn:Tegucigalpa ht:Port-au-Prince jm:Jamaica lc:St_Lucia mq:Martinique mx:Mexico_City "
    "ni:Managua pa:Panama pe:Lima pr:Puerto_Rico py:Asuncion sr:Paramaribo sv:El_Salvador tt:Port_of_Spain "
    "us:New_York uy:Montevideo ve:Caracas",
    "America/Argentina": "ar:Buenos_Aires",
    "Asia": "ae:Dubai af:Kabul am:Yerevan az:Baku bd:Dhaka bh:Bahrain bn:Brunei bt:Thimphu cn:Shanghai cy:Nicosia "
    "ge:Tbilisi hk:Hong_Kong id:Jakarta il:Jerusalem in:Kolkata iq:Baghdad ir:Tehran jo:Amman jp:Tokyo kg:Bishkek "
    "kh:Phnom_Penh kp:Pyongyang kr:Seoul kw:Kuwait kz:Almaty lb:Beirut lk:Colombo mm:Yangon mn:Ulaanbaatar "
    "mo:Macau my:Kuala_Lumpur np:Kathmandu om:Muscat ph:Manila pk:Karachi ps:Gaza qa:Qatar sa:Riyadh sg:Singapore "
    "sy:Damascus th:Bangkok tj:Dushanbe tl:Dili tm:Ashgabat tw:Taipei uz:Tashkent vn:Ho_Chi_Minh ye:Aden",
    "Atlantic": "bm:Bermuda cv:Cape_Verde fk:Stanley fo:Faroe is:Reykjavik",
    "Australia": "au:Sydney",
    "Europe": "ad:Andorra al:Tirane at:Vienna ba:Sarajevo be:Brussels bg:Sofia by:Minsk ch:Zurich cz:Prague "
    "de:Berlin dk:Copenhagen ee:Tallinn es:Madrid fi:Helsinki fr:Paris gb:London gi:Gibraltar gr:Athens hr:Zagreb "
    "hu:Budapest ie:Dublin it:Rome li:Vaduz lt:Vilnius lu:Luxembourg lv:Riga mc:Monaco md:Chisinau mk:Skopje "
    "mt:Malta nl:Amsterdam no:Oslo pl:Warsaw pt:Lisbon ro:Bucharest rs:Belgrade ru:Moscow se:Stockholm "
    "si:Ljubljana sk:Bratislava sm:San_Marino tr:Istanbul ua:Kyiv va:Vatican",
    "Indian": "mg:Antananarivo mv:Maldives re:Reunion yt:Mayotte",
    "Pacific": "fj:Fiji nc:Noumea nz:Auckland pf:Tahiti pg:Port_Moresby",
}
ZONE_OF_COUNTRY = {
    country.upper(): f"{area}/{city}"
    for area, cities in _CITIES.items()
    for country, city in (pair.split(":") for pair in cities.split())
}

# Domains whose letters are not the country's code, and domains only one country uses.
_COUNTRY_OF_DOMAIN = {"uk": "GB", "gov": "US", "mil": "US", "edu": "US", "cat": "ES", "paris": "FR", "berlin": "DE"}

# Languages that one country stands for; English, Arabic and Spanish are spoken in too many zones.
_LANGUAGES = (
    "bg:BG ca:ES cs:CZ da:DK de:DE el:GR et:EE eu:ES fa:IR fi:FI fr:FR ga:IE gl:ES he:IL hi:IN hr:HR hu:HU id:ID "
    "is:IS it:IT ja:JP ka:GE kk:KZ ko:KR lt:LT lv:LV mk:MK mn:MN nb:NO nl:NL nn:NO no:NO pl:PL ro:RO ru:RU sk:SK "
    "sl:SI sq:AL sr:RS sv:SE th:TH tr:TR uk:UA ur:PK uz:UZ vi:VN zh:CN"
)
_COUNTRY_OF_LANGUAGE = dict(pair.split(":") for pair in _LANGUAGES.split())


@dataclass(frozen=True, slots=True)
class ZoneGuess:
    """A zone name, the country whose holidays count (None: no holidays), and why."""

    zone: str
    country: str | None
    reason: str


def guess_zone(host: str, language: str | None = None) -> ZoneGuess:
    """Zone and country of a site.

    >>> guess_zone("www.lemonde.fr")
    ZoneGuess(zone='Europe/Paris', country='FR', reason='top-level domain .fr')
    >>> guess_zone("example.com", "pt-BR").zone
    'America/Sao_Paulo'
    >>> guess_zone("example.tv")
    ZoneGuess(zone='UTC', country=None, reason='neither domain nor language names a country')
    """
    name = host.rstrip(".").lower()
    if not name.startswith("["):
        name = name.partition(":")[0]
    domain = name.rpartition(".")[2]
    country = _COUNTRY_OF_DOMAIN.get(domain, domain.upper())
    if country in ZONE_OF_COUNTRY and "." in name:
        return ZoneGuess(ZONE_OF_COUNTRY[country], country, f"top-level domain .{domain}")
    subtags = (language or "").replace("_", "-").split("-")
    for region in subtags[1:]:
        if region.upper() in ZONE_OF_COUNTRY and len(region) == 2:
            return ZoneGuess(ZONE_OF_COUNTRY[region.upper()], region.upper(), f"page language {language}")
    spoken_in = _COUNTRY_OF_LANGUAGE.get(subtags[0].lower())
    if spoken_in is not None:
        return ZoneGuess(ZONE_OF_COUNTRY[spoken_in], spoken_in, f"page language {language}")
    return ZoneGuess("UTC", None, "neither domain nor language names a country")
