"""Pages that need a browser, each with what must be captured of it, on the loopback interface.

Every page stands in a directory of its own (`/spa/`, `/lazy/` ...). What it should show is in `PAGES`: texts in the
document a browser makes of it, and addresses that have to be captured (a method before it when it is not GET).
The server is in script_server.py.
"""
# ruff: noqa: E501 - scripts are written as pages have them

import base64
from dataclasses import dataclass

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
VIDEO = bytes(range(256)) * 400


@dataclass(frozen=True)
class Wanted:
    """What must be captured of a page."""

    texts: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    """Addresses its rendered document must lead to."""
    ends: str = ""
    """How the load has to end, when not settled."""


def html(title, body="", head=""):
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>".encode()


def script(title, code, body='<div id="root"></div>', head=""):
    return html(title, f"{body}<script>{code}</script>", head)


SHOW = "const show=t=>{const p=document.createElement('p');p.textContent=t;document.body.append(p)};"
FEED_SIZE = 5

PAGES: dict[str, tuple[Wanted, dict[str, tuple[str, bytes]]]] = {}
"""Directory -> what is wanted, and its files: name -> type, body."""


def add(name, wanted, page, **files):
    kinds = {"js": "text/javascript", "json": "application/json", "png": "image/png", "css": "text/css",
             "html": "text/html", "woff2": "font/woff2", "mp4": "video/mp4", "txt": "text/plain", "svg": "image/svg+xml"}  # fmt: skip
    held = {"": ("text/html; charset=utf-8", page)}
    for file, body in files.items():
        stem, _, kind = file.rpartition("_")
        held[f"{stem}.{kind}"] = (kinds[kind], body if isinstance(body, bytes) else body.encode())
    PAGES[name] = (wanted, held)


add(
    "static",
    Wanted(texts=("plain words of a static page",), links=("static/next.html",)),
    html("Static", '<p>plain words of a static page</p><a href="next.html">next</a>'),
    next_html=html("Next", "<p>next</p>"),
)
add(
    "spa",
    Wanted(
        texts=("Items from the API", "first item"),
        urls=("spa/app.js", "spa/items.json"),
        links=("spa/item/1", "spa/item/2"),
    ),
    html("SPA", '<div id="root"></div><script src="app.js"></script>'),
    app_js="""fetch('items.json').then(r=>r.json()).then(d=>{history.replaceState({},'','/spa/home');
      document.getElementById('root').innerHTML='<h1>Items from the API</h1>'+d.map(i=>`<a href="/spa/item/${i.id}">${i.name}</a>`).join('')})""",
    items_json='[{"id":1,"name":"first item"},{"id":2,"name":"second item"}]',
)
add(
    "routes",
    Wanted(texts=("You are at the about page",), urls=("routes/about.json",)),
    script(
        "Routes",
        """addEventListener('popstate',()=>{});history.pushState({},'','/routes/about');
      fetch('/routes/about.json').then(r=>r.json()).then(d=>root.textContent=d.text)""",
    ),
    about_json='{"text":"You are at the about page"}',
)
add(
    "scroll",
    Wanted(texts=("entry 0", "entry 24"), urls=tuple(f"scroll/feed?from={n}" for n in (5, 10, 15, 20))),
    script(
        "Endless",
        """let n=0,busy=false;const add=d=>{for(const t of d){const p=document.createElement('p');p.style.height='400px';p.textContent=t;root.append(p)}n+=d.length;busy=false};
      const more=()=>{if(busy||n>=25)return;busy=true;fetch('feed?from='+n).then(r=>r.json()).then(add)};
      add([0,1,2,3,4].map(i=>'entry '+i));addEventListener('scroll',()=>{if(innerHeight+scrollY>document.body.offsetHeight-300)more()})""",
    ),
)
add(
    "lazy",
    Wanted(urls=("lazy/deep.png",), texts=("below",)),
    html(
        "Lazy",
        '<div style="height:6000px">above</div><img loading="lazy" src="deep.png" width=10 height=10><p>below</p>',
    ),
    deep_png=PIXEL,
)
add(
    "observer",
    Wanted(urls=("observer/seen.png",)),
    script(
        "Observer",
        "new IntersectionObserver(e=>{if(e[0].isIntersecting)t.src='seen.png'}).observe(t)",
        '<div style="height:5000px">x</div><img id=t width=10 height=10>',
    ),
    seen_png=PIXEL,
)
add(
    "srcset",
    Wanted(urls=("srcset/small.png", "srcset/large.png")),
    script("Srcset", 'root.innerHTML=\'<img srcset="small.png 500w, large.png 2000w" sizes="500px" src=small.png>\''),
    small_png=PIXEL,
    large_png=PIXEL + b"\0",
)
add(
    "fonts",
    Wanted(urls=("fonts/letters.woff2",)),
    html(
        "Fonts",
        '<p style="font-family:Letters">text in letters</p>',
        "<style>@font-face{font-family:Letters;src:url(letters.woff2)}</style>",
    ),
    letters_woff2=b"wOF2" + bytes(40),
)
add(
    "imports",
    Wanted(urls=("imports/one.css", "imports/two.css", "imports/back.png")),
    html("Imports", "<p>styled</p>", '<link rel=stylesheet href="one.css">'),
    one_css="@import 'two.css';",
    two_css="body{background:url(back.png)}",
    back_png=PIXEL,
)
add(
    "frames",
    Wanted(texts=("inside the frame",), urls=("frames/inner.html", "frames/data.json")),
    html("Frames", '<iframe src="inner.html"></iframe>'),
    inner_html=script("Inner", "fetch('data.json').then(r=>r.json()).then(d=>root.textContent=d.text)"),
    data_json='{"text":"inside the frame"}',
)
add(
    "shadow",
    Wanted(texts=("words in a shadow", "words in a slot")),
    script(
        "Shadow",
        """const r=host.attachShadow({mode:'closed'});r.innerHTML='<p>words in a shadow</p><slot></slot>'""",
        "<div id=host><b>words in a slot</b></div>",
    ),
)
add(
    "template",
    Wanted(texts=("made from a template",)),
    script(
        "Template",
        "document.body.append(t.content.cloneNode(true))",
        "<template id=t><p>made from a template</p></template>",
    ),
)
add(
    "worker",
    Wanted(texts=("worker says 42",), urls=("worker/work.js", "worker/number.json")),
    script("Worker", "new Worker('work.js').onmessage=e=>{root.textContent='worker says '+e.data}"),
    work_js="fetch('number.json').then(r=>r.json()).then(d=>postMessage(d.n))",
    number_json='{"n":42}',
)
add(
    "service",
    Wanted(texts=("answered by the service worker",), urls=("service/sw.js", "service/cached.json")),
    script(
        "Service",
        """navigator.serviceWorker.register('sw.js').then(()=>navigator.serviceWorker.ready).then(()=>new Promise(r=>{if(navigator.serviceWorker.controller)r();else navigator.serviceWorker.oncontrollerchange=r}))
      .then(()=>fetch('virtual.json')).then(r=>r.json()).then(d=>root.textContent=d.text)""",
    ),
    sw_js="""self.oninstall=e=>{self.skipWaiting();e.waitUntil(fetch('cached.json'))};self.onactivate=e=>e.waitUntil(clients.claim());
      self.onfetch=e=>{if(e.request.url.endsWith('virtual.json'))e.respondWith(new Response('{"text":"answered by the service worker"}'))}""",
    cached_json='{"k":1}',
)
add(
    "post",
    Wanted(texts=("you sent a=1",), urls=("POST post/echo?__wb_method=POST&a=1",)),
    script(
        "Post",
        "fetch('echo',{method:'POST',headers:{'Content-Type':'application/x-www-form-urlencoded'},body:'a=1'}).then(r=>r.text()).then(t=>root.textContent='you sent '+t)",
    ),
)
add(
    "graphql",
    Wanted(texts=("graph answers",), urls=("POST graphql/echo?__wb_method=POST&query=%7Bitems%7D&id=7",)),
    script(
        "GraphQL",
        """fetch('echo',{method:'POST',headers:{'Content-Type':'application/json'},body:JSON.stringify({query:'{items}',variables:{id:7}})})
      .then(r=>r.text()).then(t=>root.textContent='graph answers '+t.length)""",
    ),
)
add(
    "upload",
    Wanted(texts=("uploaded 1500000",)),
    script(
        "Upload",
        "fetch('size',{method:'POST',body:new Uint8Array(1500000)}).then(r=>r.text()).then(t=>root.textContent='uploaded '+t)",
    ),
)
add(
    "cookies",
    Wanted(texts=("cookie came back",)),
    script("Cookies", "document.cookie='mine=1;path=/';fetch('check').then(r=>r.text()).then(t=>root.textContent=t)"),
)
add(
    "redirects",
    Wanted(texts=("after two hops",), urls=("redirects/hop1", "redirects/hop2", "redirects/end.json")),
    script("Redirects", "fetch('hop1').then(r=>r.json()).then(d=>root.textContent=d.text)"),
    end_json='{"text":"after two hops"}',
)
add(
    "moves",
    Wanted(links=("moves/there.html",)),
    script("Moves", "location.href='there.html'"),
    there_html=html("There", "<p>moved here</p>"),
)
add(
    "writes",
    Wanted(texts=("written by a script",), urls=("writes/later.js",)),
    html("Writes", "<script>document.write('<p>written by a script</p><script src=later.js><\\/script>')</script>"),
    later_js="0",
)
add(
    "blobs",
    Wanted(texts=("from a blob",)),
    script(
        "Blobs",
        """const u=URL.createObjectURL(new Blob(['{"t":"from a blob"}']));fetch(u).then(r=>r.json()).then(d=>root.textContent=d.t);
      const i=new Image();i.src='data:image/gif;base64,R0lGODlhAQABAAAAACw=';document.body.append(i)""",
    ),
)
add(
    "video",
    Wanted(urls=("video/film.mp4",)),
    html("Video", '<video src="film.mp4" preload="auto" autoplay muted></video>'),
    film_mp4=VIDEO,
)
add(
    "events",
    Wanted(texts=("event 1", "event 2"), urls=("events/stream",)),
    script(
        "Events",
        "let c=0;new EventSource('stream').onmessage=e=>{if(c++<2){const p=document.createElement('p');p.textContent=e.data;root.append(p)}}",
    ),
)
add(
    "socket",
    Wanted(texts=("page with a socket",)),
    script(
        "Socket",
        "try{new WebSocket('ws://'+location.host+'/socket/live')}catch{};root.textContent='page with a socket'",
    ),
)
add(
    "download",
    Wanted(texts=("page stays",), urls=("download/file.zip",)),
    script(
        "Download",
        "root.textContent='page stays';const f=document.createElement('iframe');f.src='file.zip';document.body.append(f)",
    ),
)
add(
    "dialogs",
    Wanted(texts=("after all dialogs",)),
    script(
        "Dialogs",
        "alert(1);confirm('sure?');prompt('who?');addEventListener('beforeunload',e=>{e.preventDefault();e.returnValue='no'});root.textContent='after all dialogs'",
    ),
)
add(
    "popup",
    Wanted(texts=("opener",), links=("popup/other.html",)),
    script("Popup", "root.textContent='opener';open('other.html')"),
    other_html=html("Other", "<p>other window</p>"),
)
add(
    "consent",
    Wanted(texts=("the article itself",), urls=("consent/after.json",)),
    script(
        "Consent",
        """document.querySelector('#no').onclick=()=>{document.querySelector('.cookie-banner').remove();fetch('after.json').then(r=>r.json()).then(d=>root.textContent=d.text)}""",
        '<div class="cookie-banner"><p>We value your privacy</p><button id=no>Reject all</button><button>Accept all</button></div><div id=root></div>',
    ),
    after_json='{"text":"the article itself"}',
)
add(
    "modules",
    Wanted(texts=("module says hi",), urls=("modules/main.js", "modules/part.js")),
    html("Modules", "<div id=root></div><script type=module src=main.js></script>"),
    main_js="import {hi} from './part.js';document.getElementById('root').textContent='module says '+hi",
    part_js="export const hi='hi'",
)
add(
    "dynamic",
    Wanted(texts=("came later",), urls=("dynamic/chunk.js",)),
    script("Dynamic", "setTimeout(()=>import('/dynamic/chunk.js').then(m=>root.textContent=m.text),300)"),
    chunk_js="export const text='came later'",
)
add(
    "xhr",
    Wanted(texts=("xhr text",), urls=("xhr/data.txt",)),
    script(
        "XHR",
        "const x=new XMLHttpRequest();x.open('GET','data.txt');x.onload=()=>root.textContent=x.responseText;x.send()",
    ),
    data_txt="xhr text",
)
add(
    "packed",
    Wanted(texts=("packed text",), urls=("packed/zipped",)),
    script("Packed", "fetch('zipped').then(r=>r.text()).then(t=>root.textContent=t)"),
)
add(
    "cors",
    Wanted(texts=("allowed", "refused")),
    script(
        "CORS",
        SHOW
        + "const o='http://localhost:'+location.port;fetch(o+'/cors/open',{headers:{'X-A':'1'}}).then(r=>r.text()).then(show);fetch(o+'/cors/closed').then(r=>show('leaked')).catch(()=>show('refused'))",
    ),
)
add(
    "svg",
    Wanted(urls=("svg/sprite.svg",), texts=("with a picture",)),
    html("SVG", '<p>with a picture</p><img src="sprite.svg">'),
    sprite_svg='<svg xmlns="http://www.w3.org/2000/svg" width="5" height="5"/>',
)
add(
    "beacon",
    Wanted(texts=("beacon sent",), urls=("POST beacon/count?__wb_method=POST&__wb_post_data=aGk=",)),
    script(
        "Beacon",
        "navigator.sendBeacon('count',new Blob(['hi'],{type:'application/x-thing'}));root.textContent='beacon sent'",
    ),
)
add(
    "more",
    Wanted(texts=("more 1",)),
    script(
        "More",
        "let n=0;b.onclick=()=>{if(n<3)fetch('/more/part?n='+(++n)).then(r=>r.text()).then(t=>root.insertAdjacentHTML('beforeend','<p>'+t+'</p>'))}",
        "<div id=root></div><button id=b>Load more</button>",
    ),
)
add(
    "restless",
    Wanted(texts=("restless page",), ends="any"),
    script("Restless", "root.textContent='restless page';let n=0;setInterval(()=>fetch('/restless/tick?'+(n++)),200)"),
)
add(
    "forking",
    Wanted(texts=("forking page",), ends="requests"),
    script(
        "Forking",
        "root.textContent='forking page';let n=0;const f=()=>{for(let i=0;i<4;i++)fetch('/forking/x?'+(n++)).then(f,()=>{})};f()",
    ),
)
add("hanging", Wanted(ends="lost"), script("Hanging", "root.textContent='x';setTimeout(()=>{for(;;);},100)"))
add(
    "hungry",
    Wanted(ends="lost"),
    script(
        "Hungry",
        "const keep=[];setInterval(()=>{for(let i=0;i<20;i++){const a=new Uint8Array(1e7);a.fill(i+1);keep.push(a)}},20)",
    ),
)
add(
    "reloading",
    Wanted(texts=("reloads",), ends="any"),
    script("Reloading", "root.textContent='reloads';setTimeout(()=>location.reload(),50)"),
)

HOSTILE = ("restless", "forking", "hanging", "hungry", "reloading")
