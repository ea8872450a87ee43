// The look of the report: one style sheet, light and dark, a phone and a desk.

export const STYLE = `
:root{color-scheme:light dark;--paper:#fff;--card:#f6f7f9;--ink:#1c2330;--soft:#5b6473;--rule:#dfe3ea;--good:#15803d;--bad:#c02626;
--c1:#2563eb;--c2:#d97706;--c3:#059669;--c4:#db2777;--c5:#7c3aed;--c6:#0891b2;--c7:#65a30d;--c8:#6b7280}
@media(prefers-color-scheme:dark){:root{--paper:#11151c;--card:#1a202a;--ink:#e6e9ef;--soft:#9aa4b5;--rule:#2c3442;--good:#4ade80;--bad:#f87171;
--c1:#6ea8fe;--c2:#fbbf24;--c3:#34d399;--c4:#f472b6;--c5:#a78bfa;--c6:#22d3ee;--c7:#a3e635;--c8:#9ca3af}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1180px;margin:0 auto;padding:24px 16px 64px}
h1{font-size:26px;margin:0 0 4px}h2{font-size:20px;margin:40px 0 2px;padding-top:16px;border-top:1px solid var(--rule)}
p{margin:4px 0}.soft,small{color:var(--soft)}code{font:13px ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:12px 0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
nav{display:flex;flex-wrap:wrap;gap:6px 14px;margin:14px 0}a{color:var(--c1)}
.verdict{font-size:17px;font-weight:600;margin:14px 0}
.met{color:var(--good);fill:var(--good)}.missed{color:var(--bad);fill:var(--bad)}.told{color:var(--soft);fill:var(--c8)}
.list{border-left:4px solid var(--rule);background:var(--card);padding:8px 14px;margin:12px 0}.list.is-missed{border-color:var(--bad)}.list ul{margin:0;padding-left:18px}
.ratios{margin:14px 0}.ratio{display:grid;grid-template-columns:minmax(0,5fr) minmax(0,4fr) minmax(0,3fr);gap:4px 18px;align-items:center;padding:5px 0;border-bottom:1px solid var(--rule)}
.ratio p{margin:0}.ratio em{font-style:normal;font-weight:600}.value{white-space:nowrap;font-variant-numeric:tabular-nums}
svg.bar{display:block;width:100%;height:18px}.track{fill:var(--card)}.bound{fill:var(--ink)}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:18px;margin:16px 0}
.chart{margin:0;background:var(--card);border-radius:10px;padding:12px 14px;min-width:0}figcaption{font-weight:600;margin-bottom:6px}
.chart>svg{display:block;width:100%;height:auto;max-width:640px;margin:0 auto}
.grid{stroke:var(--rule)}.tick,.label{fill:var(--soft);font-size:11px}.end{text-anchor:end}.middle{text-anchor:middle}
.line{fill:none;stroke-width:2;stroke-linejoin:round}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 16px;margin:8px 0 0;padding:0;font-size:13px;font-variant-numeric:tabular-nums}
.legend i{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:6px}
${Array.from({ length: 8 }, (_, at) => at + 1)
  .map(
    (n) =>
      '.f' +
      n +
      '{fill:var(--c' +
      n +
      ');background:var(--c' +
      n +
      ')}.s' +
      n +
      '{stroke:var(--c' +
      n +
      ')}',
  )
  .join('')}
.stages .row{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,5fr) 7em;gap:10px;align-items:center;padding:4px 0}
.stages b{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
pre{overflow-x:auto;background:var(--card);border-radius:10px;padding:12px 14px;font:12px/1.45 ui-monospace,Menlo,Consolas,monospace}
details{margin:12px 0}summary{cursor:pointer;color:var(--c1)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:13px;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:3px 14px 3px 0;border-bottom:1px solid var(--rule);vertical-align:top;overflow-wrap:anywhere}
td.number{text-align:right}
@media(max-width:700px){.ratio{grid-template-columns:1fr}.stages .row{grid-template-columns:minmax(0,1fr) max-content}.stages svg{grid-column:1/-1;grid-row:2}}
@media print{details{display:block}}
`
