// The style of a pass and of its page. The pass's own part, its colours and the size of its
// barcode, is in a sheet after this one.

/**
 * A barcode is as large as possible at a whole number of the screen's own pixels per module, so
 * that no edge is blurred.
 */
const SYMBOLS = `
:root { --dot: 1px; --least: 1px }
@media (resolution: 1.25dppx) { :root { --dot: .8px } }
@media (resolution: 1.5dppx) { :root { --dot: calc(1px / 1.5) } }
@media (resolution: 1.75dppx) { :root { --dot: calc(1px / 1.75) } }
@media (resolution: 2dppx) { :root { --dot: .5px } }
@media (resolution: 2.5dppx) { :root { --dot: .4px; --least: .8px } }
@media (resolution: 2.625dppx) { :root { --dot: calc(1px / 2.625); --least: calc(2px / 2.625) } }
@media (resolution: 2.75dppx) { :root { --dot: calc(1px / 2.75); --least: calc(2px / 2.75) } }
@media (resolution: 3dppx) { :root { --dot: calc(1px / 3); --least: calc(2px / 3) } }
@media (resolution: 3.5dppx) { :root { --dot: calc(1px / 3.5); --least: calc(2px / 3.5) } }
@media (resolution: 4dppx) { :root { --dot: .25px; --least: .5px } }
.well { container: symbol / inline-size }
.symbol { --turned: 0; --room: 240px; --lying: max(round(down, min(var(--room), 100cqi) / var(--across), var(--dot)), var(--dot));
  --standing: max(round(down, min(2px, (100svh - 32px) / var(--across)), var(--dot)), var(--least));
  --module: calc(var(--lying) * (1 - var(--turned)) + var(--standing) * var(--turned));
  --long: calc(var(--across) * var(--module)); --wide: calc(var(--down) * var(--module));
  position: relative; margin: 0 auto; width: calc(var(--long) * (1 - var(--turned)) + var(--wide) * var(--turned));
  height: calc(var(--wide) * (1 - var(--turned)) + var(--long) * var(--turned)) }
.symbol svg { display: block; position: absolute; top: 0; left: 0; width: var(--long); height: var(--wide);
  shape-rendering: crispEdges; transform-origin: 0 0;
  transform: translateX(calc(var(--wide) * var(--turned))) rotate(calc(90deg * var(--turned))) }
.pdf417 .symbol { --room: 340px }
.code128 .symbol { --room: 100cqi }
`

const FRONT = `
.pass { --gap: 16px; position: relative; isolation: isolate; overflow: hidden; width: 100%; padding: 18px var(--gap) var(--gap);
  border-radius: 18px; color: var(--ink); background: var(--back); font-size: 16px; line-height: 1.3;
  display: flex; flex-direction: column; gap: var(--gap);
  box-shadow: 0 0 0 1px light-dark(#0000001a, #ffffff26), 0 1px 2px #0000001a, 0 18px 40px -12px #00000052 }
.pass.spent { filter: grayscale(1) opacity(.62) }
.pass dl { display: flex; flex-wrap: wrap; gap: 12px 24px; border: 0; border-radius: 0; background: none; overflow: visible }
.pass dl div { display: block; flex: 1 1 auto; min-width: 0; max-width: 100%; padding: 0; border: 0; font-size: inherit }
.pass dt { font-size: 11px; font-weight: 600; letter-spacing: .05em; text-transform: uppercase; color: var(--label) }
.pass dd { margin: 0; font-weight: 500; overflow-wrap: anywhere; white-space: pre-line }
.pass .left { text-align: left } .pass .center { text-align: center } .pass .right { text-align: right }
.backdrop { position: absolute; inset: -24px; z-index: -1; width: calc(100% + 48px); height: calc(100% + 48px);
  object-fit: cover; filter: blur(12px); opacity: .7 }
.top { display: flex; justify-content: space-between; align-items: center; gap: 16px; min-height: 44px }
.brand { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; min-width: 0; font-size: 18px; font-weight: 600;
  line-height: 1.2; letter-spacing: -.01em }
.brand span { min-width: 0; max-width: 100%; overflow-wrap: break-word }
.logo { display: block; max-width: 160px; max-height: 50px }
.pass .head { flex: 0 0 auto; flex-wrap: nowrap; max-width: 62%; text-align: end }
.pass .head div { flex: 0 1 auto }
.pass .head dd { font-size: 18px; line-height: 1.2 }
.pass .head dt, .pass .head dd { white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
.pass .primary dd { font-size: 34px; font-weight: 400; line-height: 1.1; letter-spacing: -.02em }
.middle { display: flex; justify-content: space-between; align-items: flex-start; gap: 16px }
.middle:empty { display: none }
.generic .primary dd, .event_ticket .middle .primary dd { font-size: 27px }
.thumbnail { display: block; max-width: 90px; max-height: 90px; border-radius: 6px }
.strip { position: relative; margin: 0 calc(-1 * var(--gap)); min-height: 120px; display: grid; align-items: center }
.shade { display: block; width: 100%; height: auto; grid-area: 1 / 1 }
.strip .primary { grid-area: 1 / 1; position: relative; padding: 12px var(--gap) }
.pass .strip .primary dd { font-size: 44px; font-weight: 300 }
.strip dd, .strip dt { color: var(--ink); text-shadow: 0 0 12px var(--back), 0 0 2px var(--back) }
.pass .way { flex-wrap: nowrap; align-items: center; justify-content: space-between }
.pass .way dd { font-size: 40px; font-weight: 300 }
.pass .way div { flex: 0 1 auto }
.pass .way div:last-child { text-align: end }
.arrow { flex: none; width: 34px; height: 34px; color: var(--label) }
.pass:dir(rtl) .arrow { transform: scaleX(-1) }
.footer { display: block; margin: 0 auto; max-width: 100%; max-height: 15px }
.well { margin: 0; border-radius: 12px; background: #fff; color: #222; padding: 6px 0 10px; overflow: hidden }
.well figcaption { margin: 8px 16px 0; text-align: center; font-size: 13px; overflow-wrap: anywhere; line-height: 1.35 }
.spent .well { display: none }
`

const AROUND = `
body { display: block; padding: 0 }
main { max-width: none; padding: clamp(16px, 4vw, 56px) 16px; border: 0; border-radius: 0; background: none; box-shadow: none;
  display: flex; flex-wrap: wrap; justify-content: center; align-items: flex-start; gap: 24px clamp(24px, 5vw, 64px) }
.front { flex: 0 1 var(--card, 400px); min-width: 0; display: grid; gap: 20px }
.side { flex: 0 1 400px; min-width: 0 }
h1 { font-size: 23px }
.from { color: var(--soft); font-size: 15px; margin-bottom: 4px }
.state { padding: 14px 16px; border-radius: 14px; font-size: 15px; color: var(--bad); background: var(--bad-well); text-wrap: pretty }
.state strong { display: block; font-size: 17px }
.add { display: grid; gap: 12px; margin-top: 24px }
.add a { display: flex; align-items: center; justify-content: center; gap: 12px; min-height: 52px; padding: 8px 20px; border-radius: 12px;
  font-weight: 600; font-size: 17px; text-decoration: none; color: #fff; background: #000; border: 1px solid light-dark(#000, #5b6270) }
.add a:hover { background: #22252b }
.add a:focus-visible { outline: 3px solid color-mix(in srgb, var(--brand) 60%, transparent); outline-offset: 2px }
.add svg { width: 26px; height: 26px; flex: none }
.hint { margin-top: 12px; border: 1px solid var(--line); border-radius: 12px; background: var(--paper) }
.hint summary { min-height: 52px; padding: 13px 20px; font-size: 17px; font-weight: 600; text-align: center; cursor: pointer;
  list-style: none }
.hint summary::-webkit-details-marker { display: none }
.hint summary:focus-visible { outline: 3px solid color-mix(in srgb, var(--brand) 60%, transparent); outline-offset: 2px; border-radius: 12px }
.hint[open] summary { border-bottom: 1px solid var(--line) }
.hint > div { display: flex; align-items: center; gap: 18px; padding: 16px }
.hint p { font-size: 15px; color: var(--soft); text-wrap: pretty }
.hint .well { flex: 0 0 164px; padding: 0; border-radius: 8px }
.hint .symbol { --room: 164px }
.back dl { background: var(--paper) }
.back dl div { display: block; padding: 12px 16px }
.back dt { font-size: 13px }
.back dd { white-space: pre-line }
.note { text-align: start }
@media (max-width: 859px) { .side { flex-basis: 100%; max-width: var(--card, 400px) } .front { flex-basis: 100%; max-width: var(--card, 400px) } }
@media print { .add, .hint { display: none } }
`

/** For every page that shows a pass, after the style of all pages. */
export const PASS_STYLE = SYMBOLS + FRONT + AROUND
