// SPDX-License-Identifier: Apache-2.0
#include "reports/html_assets.h"

#include <span>

#include "ledger/base/base64.h"
#include "reports/sha256.h"
#include "reports/text.h"

namespace ethos::reports {
namespace {

constexpr std::string_view kStyle = R"css(
:root{--bg:#fff;--fg:#1b1f24;--mute:#57606a;--line:#d0d7de;--soft:#f6f8fa;--link:#0b57d0;--good:#116329;--bad:#a40e26;--warn:#7d4e00;--a:#3b6ea5;--b:#b5542b}
@media screen and (prefers-color-scheme:dark){:root{--bg:#0f1419;--fg:#e6e9ec;--mute:#9aa5b1;--line:#38424d;--soft:#1a2129;--link:#8ab4f8;--good:#6fd08c;--bad:#ff8b94;--warn:#e9b44c;--a:#6ea8e0;--b:#e08a5f;color-scheme:dark}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Cantarell,"DejaVu Sans",sans-serif}
code,.ref,.id{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.86em}
code{overflow-wrap:anywhere}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,input:focus-visible,button:focus-visible,.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--bg);padding:.5rem;z-index:2}
.alarm{background:var(--bad);color:var(--bg);padding:.6rem 1rem;font-weight:600;position:sticky;top:0;z-index:1}
.frame{display:block;max-width:92rem;margin:0 auto;padding:0 1rem}
header.mast{padding:1.6rem 0 1rem;border-bottom:2px solid var(--fg)}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .3rem;overflow-wrap:anywhere}
h2{font-size:1.35rem;margin:2.6rem 0 .6rem;line-height:1.25}
h3{font-size:1.05rem;margin:1.5rem 0 .4rem}
p,li,dd{max-width:70ch;overflow-wrap:anywhere}
p{margin:.5rem 0}
.mute,small{color:var(--mute);font-size:.88rem}
.facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.15rem 1rem;margin:.8rem 0 0}
.facts dt{color:var(--mute)}.facts dd{margin:0;overflow-wrap:anywhere;max-width:none}
nav ol{list-style:none;margin:0;padding:.6rem 0;display:flex;flex-wrap:wrap;gap:.1rem .9rem;font-size:.92rem}
nav a{display:inline-block;padding:.25rem 0;text-decoration:none}
nav a:hover,nav a:focus{text-decoration:underline}
main{min-width:0}
.scroll{overflow-x:auto;margin:.6rem 0}
table{border-collapse:collapse;font-size:.88rem;width:100%}
caption{text-align:left;color:var(--mute);padding:.2rem 0 .4rem;font-size:.88rem;max-width:min(70ch,calc(100vw - 2.4rem))}
.opt{white-space:nowrap}th{overflow-wrap:normal}
th,td{text-align:left;vertical-align:top;padding:.35rem .5rem;border-bottom:1px solid var(--line)}
thead th{border-bottom:2px solid var(--line);background:var(--soft);font-weight:600}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}td.n{white-space:nowrap}
tfoot td,tfoot th,tr.sum td,tr.sum th{font-weight:600;border-top:2px solid var(--line)}
.nw,time{white-space:nowrap}
td time{white-space:normal;display:inline-block;min-width:7.2rem}
td.nw code{overflow-wrap:normal}
.matrix{font-size:.86rem}.matrix th,.matrix td{padding:.35rem .45rem}.matrix th[scope=row]{white-space:nowrap}
td .long{display:block;min-width:12rem;overflow-wrap:anywhere}
.line{display:block}td.n .line{white-space:normal}td.wide{min-width:13rem;overflow-wrap:anywhere}.ref{color:var(--mute)}td .ref{font-size:.8rem}
b.u{font-weight:400;background:var(--soft);border:1px solid var(--line);border-radius:3px;padding:0 .15em;font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:.86em}
.box{border:1px solid var(--line);border-left:6px solid var(--mute);padding:.8rem 1.1rem 1rem;margin:1.2rem 0;background:var(--soft)}
.box h2{margin:.1rem 0 .4rem}
.box.no{border-left-color:var(--bad)}
.verdicts{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:.5rem 1.2rem;margin:.8rem 0;padding:0;list-style:none}
.verdicts li{border-top:1px solid var(--line);padding-top:.4rem;overflow-wrap:anywhere}
.verdicts strong{display:block}
.verdicts li{border:1px solid var(--line);padding:.45rem .7rem;background:var(--bg)}
.verdicts li.b-pass{border-left:5px solid var(--good)}
.verdicts li.b-fail{border:2px solid var(--bad);border-left-width:8px}
.verdicts li.b-incomplete{border-left:5px dotted var(--warn)}
.verdicts li.b-none,.verdicts li.b-unknown{border:2px dashed var(--mute);background:none}
.again>li{margin:.6rem 0}.again pre{margin:.3rem 0}
.v-pass{color:var(--good)}.v-fail{color:var(--bad)}.v-incomplete{color:var(--warn)}.v-unknown,.v-none{color:var(--mute)}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(10.5rem,1fr));gap:.6rem;margin:1rem 0;padding:0;list-style:none}
.tiles li{border:1px solid var(--line);padding:.6rem .8rem;background:var(--bg)}
.tiles a{display:block;text-decoration:none;color:inherit;min-height:24px}
.tiles a:hover .t,.tiles a:focus .t{text-decoration:underline}
.tiles b{display:block;font-size:1.7rem;line-height:1.2;font-weight:600;font-variant-numeric:tabular-nums}
.tiles .t{display:block;color:var(--link)}
.sym{display:inline-block;min-width:1.2em;font-weight:600}
.s-used{color:var(--good)}.s-tried{color:var(--bad)}.s-limit{color:var(--warn)}.s-unused{color:var(--warn)}.s-dim{color:var(--mute)}
.cell{display:block;white-space:nowrap}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;margin:.4rem 0;padding:0;list-style:none;font-size:.9rem}
ul.plain{list-style:none;margin:0;padding:0}
.c-shown{color:var(--good)}.c-recorded{color:var(--fg)}.c-contradicted{color:var(--bad)}.c-partly_shown{color:var(--warn)}.c-no_event,.c-not_recorded{color:var(--mute)}
.d-widened{color:var(--bad)}.d-narrowed{color:var(--good)}.d-changed{color:var(--warn)}
.tag{display:inline-block;border:1px solid var(--line);border-radius:3px;padding:0 .4em;font-size:.86em;white-space:nowrap;background:var(--bg)}
.tag.k-denied,.tag.k-problem,.tag.k-aborted,.tag.k-gap,.tag.k-open,.tag.k-left_behind{border-color:var(--bad);color:var(--bad)}
.tag.k-limit,.tag.k-refused{border-color:var(--warn);color:var(--warn)}
figure{margin:1rem 0}
figure svg{display:block;width:100%;max-width:46rem;height:auto}
figcaption{color:var(--mute);font-size:.88rem;max-width:70ch}
svg text{fill:var(--mute);font:12px system-ui,"DejaVu Sans",sans-serif}
svg .axis{stroke:var(--line)}svg .sa{fill:var(--a)}svg .sb{fill:var(--b)}svg .hatch{stroke:var(--bg)}svg .mark{stroke:var(--b)}svg .growth{stroke:var(--a)}
details{border-bottom:1px solid var(--line);padding:.15rem 0}
summary{cursor:pointer;padding:.3rem 0;min-height:24px}
details[open]>summary{font-weight:600}
details .inner{padding:.2rem 0 .8rem 1.1rem}
details:target,tr:target{outline:2px solid var(--link);outline-offset:3px}
pre{background:var(--soft);border:1px solid var(--line);padding:.7rem .9rem;font-size:.85rem;white-space:pre-wrap;overflow-wrap:anywhere}
.copy{float:right;position:relative;top:.9rem;right:.5rem}
.filter{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.5rem 0;font-size:.9rem}
.filter input{font:inherit;padding:.3rem .5rem;min-width:14rem;border:1px solid var(--mute);background:var(--bg);color:var(--fg)}
.filter button,.copy{font:inherit;font-size:.85rem;padding:.25rem .6rem;min-height:24px;border:1px solid var(--mute);background:var(--soft);color:var(--fg);cursor:pointer}
footer{margin:3rem 0 2rem;border-top:1px solid var(--line);padding-top:.8rem}
/* A browser lays out what is looked at: pages of thousands of rows open at once. */
@media screen{section>.scroll,.inner>.scroll{content-visibility:auto;contain-intrinsic-height:auto 30rem}}
@media screen and (max-width:92rem){.matrix .cell{white-space:normal}.matrix .cell .ref{white-space:nowrap}.matrix th,.matrix td{padding:.35rem .3rem}}
@media screen and (max-width:60rem){td .long{min-width:8rem}}
@media (min-width:84rem){
.cols{display:grid;grid-template-columns:11.5rem minmax(0,1fr);gap:0 2rem;align-items:start}
nav{position:sticky;top:0;max-height:100vh;overflow-y:auto;padding-top:1.6rem}
nav ol{display:block}nav a{display:block;padding:.22rem 0}
}
@media (max-width:40rem){
h1{font-size:1.5rem}.facts{grid-template-columns:1fr;gap:0}.facts dd{margin-bottom:.4rem}
.facts time{white-space:normal}.tiles{grid-template-columns:repeat(2,minmax(0,1fr))}.tiles b{font-size:1.35rem}
th,td{padding:.3rem .4rem}
}
@media screen and (max-width:40rem){
.cards,.cards tbody,.cards tfoot,.cards tr,.cards caption{display:block}
.cards thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.cards tr{border:1px solid var(--line);margin:0 0 .6rem;padding:.2rem .3rem}.cards tr[hidden]{display:none}
.cards td,.cards tbody th,.cards tfoot th{display:block;text-align:left;border:0;white-space:normal;min-width:0;overflow-wrap:anywhere;padding:.1rem .2rem}
.cards .nw,.cards time{white-space:normal;min-width:0}
.cards [data-label]::before{content:attr(data-label) ": ";color:var(--mute);font-weight:400}
td .long{min-width:0}
.copy{float:none;display:block;top:0;right:0}
}
/* An option must not break at its hyphens: a command scrolls sideways. */
@media screen{pre[data-copy]{white-space:pre;overflow-wrap:normal;overflow-x:auto}}
#runs .ref,#runs .id{overflow-wrap:anywhere}
@media print{
html{font-size:11px}body{font-size:9.5pt}h1{font-size:18pt}h2{font-size:13pt;margin-top:1.4rem;break-after:avoid}h3,.keep{break-after:avoid}
nav,.skip,.filter label,.filter input,.filter button,.filter.idle,.copy{display:none}
.alarm{position:static;color:#a40e26;background:#fff;border:2px solid #a40e26}
a{color:inherit;text-decoration:none}
.scroll{overflow:visible}table,.matrix{font-size:7.6pt}.matrix th,.matrix td{padding:.2rem .25rem}th,td{padding:.2rem .3rem}
thead{display:table-header-group}tfoot{display:table-row-group}tr,figure,.tiles li,.verdicts li,pre{break-inside:avoid}caption,summary,.filter{break-after:avoid}
.nw,time,td.n,th.n{white-space:normal}td .long{min-width:0}td time{min-width:6.9em}
p,li,dd{orphans:2;widows:2}p,li,dd,caption,figcaption{max-width:none}figure svg{max-width:30rem}#runs td.wide{min-width:11rem}#controls td:last-child{min-width:15rem}details .inner{padding-left:0}#method dl{columns:2;column-gap:1.6rem}#method dl dd{margin:0 0 .35rem}#method dt{break-after:avoid}
/* Without grid and var(): not every engine that prints knows them. */
.tiles,.verdicts,.facts,.legend{display:block}
.tiles li{display:inline-block;vertical-align:top;width:23.5%;margin:0 .6% .5rem 0;border:1px solid #d0d7de}
.verdicts li{display:inline-block;vertical-align:top;width:48%;margin:0 1.5% .4rem 0;border-top:1px solid #d0d7de}
/* A label on the line of its value: no page can end between them. */
.facts dt,.facts dd{display:inline;margin:0}.facts dt::after{content:": "}.facts dd::after{content:"\A";white-space:pre}
.legend li{display:inline-block;margin-right:1.4rem}
header.mast{border-bottom:2px solid #1b1f24}.box{border:1px solid #d0d7de;border-left:6px solid #57606a}.box.no{border-left-color:#a40e26}
th,td{border-bottom:1px solid #d0d7de}thead th{border-bottom:2px solid #8c959f;background:#f6f8fa}
tfoot td,tfoot th,tr.sum td,tr.sum th{border-top:2px solid #8c959f}details{border-bottom:0}
.tag{border:1px solid #57606a}.tag.k-problem,.tag.k-aborted,.tag.k-open,.tag.k-gap,.tag.k-denied,.tag.k-left_behind{border-color:#a40e26}
pre{border:1px solid #d0d7de}
}
)css";

constexpr std::string_view kScript = R"js(
"use strict";
(function () {
  var filters = {};
  function read() {
    var m = /^#f:([a-z-]+):(.*)$/.exec(location.hash);
    if (!m || !filters[m[1]]) return null;
    try { return { name: m[1], words: decodeURIComponent(m[2]) }; } catch (e) { return null; }
  }
  function keep(name, words) {
    var hash = words ? "#f:" + name + ":" + encodeURIComponent(words) : "#" + name;
    try { history.replaceState(null, "", hash); } catch (e) { /* some viewers forbid it */ }
  }
  function open(node) {
    for (; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  }
  function make(table) {
    var name = table.getAttribute("data-filter");
    var rows = Array.prototype.slice.call(table.tBodies[0].rows);
    if (rows.length < 6) return;
    var texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
    var bar = document.createElement("div");
    bar.className = "filter";
    var label = document.createElement("label");
    label.textContent = "Filter ";
    var input = document.createElement("input");
    input.type = "search";
    input.placeholder = "tool, rule, path, #record";
    label.appendChild(input);
    var clear = document.createElement("button");
    clear.type = "button";
    clear.textContent = "Show all";
    var count = document.createElement("span");
    count.setAttribute("role", "status");
    bar.appendChild(label);
    bar.appendChild(clear);
    bar.appendChild(count);
    var place = table.parentNode;
    place.parentNode.insertBefore(bar, place);
    function apply() {
      var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      var shown = 0;
      rows.forEach(function (row, i) {
        var fits = words.every(function (word) { return texts[i].indexOf(word) >= 0; });
        row.hidden = !fits;
        if (fits) shown++;
      });
      bar.classList.toggle("idle", words.length === 0);
      count.textContent = shown + " of " + rows.length + " rows" +
        (words.length ? " shown, filtered by \u201c" + input.value.trim() + "\u201d" : "");
      clear.hidden = words.length === 0;
    }
    input.addEventListener("input", function () { apply(); keep(name, input.value.trim()); });
    clear.addEventListener("click", function () { input.value = ""; apply(); keep(name, ""); input.focus(); });
    filters[name] = { set: function (words) { open(place); input.value = words; apply(); place.parentNode.scrollIntoView(); }, clear: function () { input.value = ""; apply(); } };
    apply();
  }
  function follow() {
    var wanted = read();
    if (wanted) { filters[wanted.name].set(wanted.words); return; }
    var id = location.hash.slice(1);
    var target = id && document.getElementById(id);
    if (!target) return;
    open(target);
    if (target.hidden) Object.keys(filters).forEach(function (name) { filters[name].clear(); });
    target.scrollIntoView();
  }
  Array.prototype.forEach.call(document.querySelectorAll("table[data-filter]"), make);
  addEventListener("hashchange", follow);
  follow();
  // On a narrow screen a row of a table is a card, each cell with the head of its column.
  var narrow = matchMedia("(max-width: 40rem)");
  function stack() {
    if (!narrow.matches) return;
    narrow.removeEventListener("change", stack);
    Array.prototype.forEach.call(document.querySelectorAll("table"), function (table) {
      if (!table.tHead) return;
      var heads = Array.prototype.map.call(table.tHead.rows[0].cells, function (cell) { return cell.textContent; });
      table.classList.add("cards");
      table.setAttribute("role", "table");
      Array.prototype.forEach.call(table.rows, function (row) {
        row.setAttribute("role", "row");
        Array.prototype.forEach.call(row.cells, function (cell, i) {
          cell.setAttribute("role", cell.scope === "col" ? "columnheader" : cell.scope === "row" ? "rowheader" : "cell");
          if (row.parentNode !== table.tHead && heads[i]) cell.setAttribute("data-label", heads[i]);
        });
      });
    });
  }
  narrow.addEventListener("change", stack);
  stack();
  var opened = [];
  addEventListener("beforeprint", function () {
    opened = Array.prototype.filter.call(document.querySelectorAll("details"), function (d) { return !d.open; });
    opened.forEach(function (d) { d.open = true; });
  });
  addEventListener("afterprint", function () { opened.forEach(function (d) { d.open = false; }); });
  if (navigator.clipboard && window.isSecureContext) {
    Array.prototype.forEach.call(document.querySelectorAll("pre[data-copy]"), function (pre) {
      var button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.addEventListener("click", function () {
        navigator.clipboard.writeText(pre.textContent).then(function () { button.textContent = "Copied"; });
      });
      pre.parentNode.insertBefore(button, pre);
    });
  }
})();
)js";

// A CSS string: everything but plain characters as a hexadecimal escape.
std::string css_string(std::string_view text) {
  std::string out = "\"";
  const std::string shown = visible(text);
  for (std::size_t at = 0; at < shown.size();) {
    const CodePoint point = decode_utf8(shown, at);
    at += point.length;
    const std::uint32_t code = point.code;
    const bool plain = (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
                       (code >= '0' && code <= '9');
    if (plain) {
      out += static_cast<char>(code);
      continue;
    }
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += '\\';
    for (int shift = 20; shift >= 0; shift -= 4)
      out += kDigits[(code >> static_cast<unsigned>(shift)) & 0xFU];
  }
  return out + "\"";
}

}  // namespace

std::string_view style_sheet() { return kStyle; }

std::string page_style(std::string_view head, std::string_view foot) {
  return "@page{size:A4;margin:17mm 13mm 16mm;@top-left{content:" + css_string(head) +
         ";font:8pt sans-serif;color:#57606a}@bottom-left{content:" + css_string(foot) +
         ";font:8pt sans-serif;color:#57606a}@bottom-right{content:counter(page) \" / \" "
         "counter(pages);font:8pt "
         "sans-serif;color:#57606a}}\n";
}

std::string_view page_script() { return kScript; }

std::string policy_hash(std::string_view content) {
  const Hash hash = sha256(content);
  return "'sha256-" + base::encode_base64(std::as_bytes(std::span(hash))) + "'";
}

}  // namespace ethos::reports
