import { colourProperties, FONT } from './theme.ts';

/** The style sheet of the page: one column of text, the same on paper, and both themes. */
export const STYLE = `
:root{color-scheme:light;${colourProperties('light')}}
:root[data-theme=dark]{color-scheme:dark;${colourProperties('dark')}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;${colourProperties('dark')}}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 ${FONT};overflow-wrap:anywhere}
.layout{max-width:1240px;margin:0 auto;padding:0 24px 64px;display:grid;grid-template-columns:minmax(0,1fr);gap:0 48px}
header{padding:40px 0 8px;display:flex;flex-wrap:wrap;gap:8px 24px;align-items:flex-end;justify-content:space-between}header>div{flex:1 1 320px;min-width:0}
h1{font-size:clamp(1.5rem,1.1rem + 1.6vw,2.15rem);line-height:1.2;letter-spacing:-.015em;margin:0;font-weight:680;text-wrap:balance}
h2{font-size:1.3rem;line-height:1.3;letter-spacing:-.01em;margin:0 0 12px;font-weight:650}
h3{font-size:1.08rem;line-height:1.4;margin:0;font-weight:620;text-wrap:pretty}
section>h3{margin-top:32px}section>h2+h3{margin-top:0}
h4{font-size:.95rem;margin:20px 0 6px;font-weight:620}
p{margin:0 0 12px;max-width:70ch}
a{color:var(--accent)}
code,pre,kbd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.875em}
section{padding:36px 0 0;scroll-margin-top:8px}
section>h2{padding-top:20px;border-top:1px solid var(--grid)}
.kicker{color:var(--muted);font-size:.875rem;margin:0 0 8px}
nav.contents ol{list-style:none;display:flex;flex-wrap:wrap;gap:4px 16px;margin:12px 0 0;padding:0;font-size:.875rem}
nav.contents a{color:var(--muted);text-decoration:none;display:inline-block;padding:3px 0}
nav.contents a:hover,nav.contents a:focus-visible{color:var(--accent);text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:-999px}.skip:focus{left:16px;top:8px;background:var(--paper);padding:8px;z-index:9}
.headline{font-size:1.2rem;font-weight:650;margin:0 0 12px}
.headline .sign,.judged .sign{font-weight:700}
.passed>.sign,.headline.passed{color:var(--passed)}
.failed>.sign,.headline.failed{color:var(--failed)}
.judged{list-style:none;margin:0 0 20px;padding:0}
.judged li{display:flex;gap:12px;padding:8px 0;border-top:1px solid var(--grid)}
.judged .detail,.judged .where{color:var(--muted);font-size:.9rem}
.runs{list-style:none;margin:6px 0 0;padding:0;font-size:.9rem}.judged .runs li{border:0;padding:2px 0}
.judged strong{font-weight:620}.judged .failed>div>.detail strong,.runs .failed strong{color:var(--failed)}
.lead{border-left:3px solid var(--accent);padding:2px 0 2px 16px;margin:20px 0 0}
.lead p{font-size:1.08rem;margin:0 0 6px}.lead p:last-child{margin:0}
.lead b{font-weight:650}
.about{font-size:1.04rem}
.facts{padding-left:20px;margin:0 0 12px;max-width:75ch}.facts li{margin:4px 0}.facts li::marker{color:var(--axis)}
.note{color:var(--muted);font-size:.9rem;margin:4px 0 8px}
figure{margin:0 0 44px;padding:0}
figure:last-child{margin-bottom:0}
.above{display:flex;flex-wrap:wrap;gap:6px 24px;align-items:center;margin:10px 0 4px}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;margin:0;padding:0;font-size:.875rem}
.legend li,.legend button{display:flex;align-items:center;gap:7px}
.legend svg{flex:none}
.legend button{font:inherit;color:inherit;background:none;border:0;padding:3px 0;cursor:pointer}
.legend button[aria-pressed=false]{color:var(--muted);text-decoration:line-through}
.legend button[aria-pressed=false] svg{opacity:.35}
.chooser{border:0;margin:0;padding:0;display:flex;align-items:center;gap:0;font-size:.875rem}
.chooser legend{float:left;padding:0 10px 0 0;color:var(--muted)}
.chooser label{cursor:pointer}
.chooser input{position:absolute;opacity:0}
.chooser span{display:block;padding:3px 12px;border:1px solid var(--axis);margin-left:-1px}
.chooser input:checked+span{background:var(--ink);color:var(--paper);border-color:var(--ink)}
.chooser input:focus-visible+span{outline:2px solid var(--accent);outline-offset:2px}
.choose .panel{display:none}
.choose:has(input[value="0"]:checked) .panel-0,.choose:has(input[value="1"]:checked) .panel-1,.choose:has(input[value="2"]:checked) .panel-2,.choose:not(:has(.chooser)) .panel{display:block}
.plot{position:relative}
.plot svg{display:block;width:100%;height:auto;max-width:900px;font-variant-numeric:tabular-nums}
svg.narrow{display:none!important}
@media (max-width:600px){svg.wide{display:none!important}svg.narrow{display:block!important}}
.plot .cursor{stroke:var(--axis);stroke-width:1;vector-effect:non-scaling-stroke;pointer-events:none}
.plot .halo{fill:none;stroke:var(--ink);stroke-width:2;pointer-events:none}
.plot .pick{fill:var(--accent);stroke:var(--paper);stroke-width:1.5}
.tip{position:absolute;z-index:3;pointer-events:none;background:var(--ink);color:var(--paper);font-size:.8125rem;line-height:1.4;padding:6px 10px;border-radius:4px;max-width:280px;font-variant-numeric:tabular-nums}
.tip b{font-weight:650}.tip div{overflow:hidden;text-overflow:ellipsis}
.tools{display:flex;flex-wrap:wrap;gap:2px;margin:4px 0 0;align-items:center;max-width:900px}
.tools button{font:inherit;font-size:.8125rem;color:var(--muted);background:none;border:1px solid transparent;border-radius:4px;padding:3px 9px;cursor:pointer;min-height:28px;min-width:28px}
.tools button:hover:enabled{color:var(--ink);border-color:var(--axis)}
.whatif .tools{gap:8px}.whatif .tools button{color:var(--ink);border-color:var(--axis);padding:5px 14px}
.tools button:disabled{color:var(--muted);cursor:default}
.tools .gap{flex:1}
.zoomed .plot{cursor:grab}
details.fold{margin:8px 0 0}
summary{cursor:pointer;color:var(--accent);font-size:.9rem;width:max-content;max-width:100%}
.scroll{overflow-x:auto;max-height:70vh;margin:8px 0}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums;line-height:1.4;min-width:min(100%,420px);overflow-wrap:normal}
caption{text-align:left;color:var(--muted);padding:0 0 6px;font-size:.85rem}
th,td{text-align:left;padding:5px 14px 5px 0;border-bottom:1px solid var(--grid);vertical-align:top;font-weight:400;max-width:26rem;overflow-wrap:break-word}
th.n,td.n{overflow-wrap:normal}
tbody th{font-weight:500}
thead th{font-weight:620;vertical-align:bottom;border-bottom:1px solid var(--axis);background:var(--paper);position:sticky;top:0;min-width:3.5rem}
td.n,th.n{text-align:right;white-space:nowrap}thead th.n{white-space:normal}
.unit{color:var(--muted);font-weight:400}
thead button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer;text-align:inherit}
thead button::after{content:"";display:inline-block;width:.9em;color:var(--accent)}
th[aria-sort=ascending] button::after{content:"↑"}th[aria-sort=descending] button::after{content:"↓"}
pre{background:var(--surface);border-radius:4px;padding:14px 16px;overflow:auto;max-height:70vh;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.5;margin:8px 0}
.glossary{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,320px),1fr));gap:4px 32px;font-size:.9rem;margin:10px 0}
.glossary div{display:flex;gap:8px}.glossary dt{font-weight:620;flex:none}.glossary dd{margin:0;color:var(--muted)}
.source{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:4px 20px;font-size:.9rem;margin:0 0 12px}
.source dt{color:var(--muted)}.source dd{margin:0}
.why{max-width:70ch;font-weight:500}
.whatif{background:var(--surface);border-radius:6px;padding:20px}
.whatif form{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,240px),1fr));gap:14px 28px;margin:0 0 16px}
.whatif label{display:block;font-size:.875rem;font-weight:620}
.whatif input[type=text]{font:inherit;width:100%;padding:6px 8px;border:1px solid var(--axis);border-radius:4px;background:var(--paper);color:var(--ink)}
::placeholder{color:var(--muted);opacity:1}
.whatif input[type=range]{width:100%;margin:6px 0 0;accent-color:var(--accent)}
.whatif .tools{grid-column:1/-1}
.whatif .tools button[type=submit]{background:var(--ink);color:var(--paper);border-color:var(--ink)}
.whatif .status{min-height:1.5em;font-size:.95rem;font-weight:500}
.whatif .status.failed{color:var(--failed)}
.whatif table,.run table{background:none}.whatif thead th,.run thead th{background:var(--surface)}
.run{background:var(--surface);border-radius:6px;padding:12px 16px;margin:8px 0 0;font-size:.9rem}
.theme{display:flex;gap:0;font-size:.8125rem;margin:0;border:0;padding:0;align-items:center}
.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
footer{color:var(--muted);font-size:.85rem;padding:40px 0 0}
@media (min-width:1240px){
.layout{grid-template-columns:190px minmax(0,1fr);max-width:1280px}
header,main,footer{grid-column:2}
.contents{grid-column:1;grid-row:1/4;position:sticky;top:0;align-self:start;padding-top:48px;max-height:100vh;overflow:auto}
nav.contents ol{flex-direction:column;gap:2px}
}
@media (max-width:600px){.tools button{padding:3px 6px}.layout{padding:0 16px 40px}header{padding-top:24px}body{font-size:15px}.whatif{padding:16px}.source{grid-template-columns:1fr;gap:0}.source dd{margin:0 0 8px}.glossary div{display:block}}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
@media print{
:root,:root[data-theme=dark],:root:not([data-theme=light]){color-scheme:light;${colourProperties('light')}}
body{font-size:10.5pt}
.layout{display:block;max-width:none;padding:0}
.contents,.tools,.skip,.whatif-section,.theme,.tip,.run{display:none!important}
.chooser input:not(:checked)+span{display:none}.chooser input:checked+span{background:none;color:var(--ink);border:0;padding:0}
header{padding-top:0}.above{break-after:avoid}
section{padding-top:20px}
figure{margin-bottom:24px}
svg.wide{display:block!important}svg.narrow{display:none!important}
.plot,figcaption{break-inside:avoid}figcaption{break-after:avoid}
h2,h3,h4{break-after:avoid}
details::details-content{content-visibility:visible!important;display:block!important;height:auto!important}
.scroll,pre{overflow:visible;max-height:none}
table{font-size:7.5pt;min-width:0;max-width:100%}th,td{padding:3px 8px 3px 0}td.n{white-space:normal}thead th{position:static;min-width:0}
tr{break-inside:avoid}thead{break-after:avoid}tbody tr:first-child{break-before:avoid}
a{color:inherit;text-decoration:none}
}
`.trim();
