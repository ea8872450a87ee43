// The one style sheet of the pages for people. Passes and payments that are read without this
// server have it inside.
import { readFileSync } from 'node:fs'

/** Colours of every page, for light and dark. */
export const TOKENS = readFileSync(new URL('../../../shared/tokens.css', import.meta.url), 'utf8')

export const STYLE = `
${TOKENS}* { box-sizing: border-box; margin: 0 }
body { font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  color: var(--ink); background: var(--ground); min-height: 100vh; display: grid; justify-items: center;
  align-items: start; padding: clamp(12px, 5vw, 56px) 12px }
main { width: 100%; max-width: 560px; background: var(--paper); border: 1px solid var(--line);
  border-radius: 16px; padding: clamp(20px, 6vw, 40px); box-shadow: 0 1px 2px #0000000d, 0 12px 40px #00000012;
  overflow-wrap: anywhere }
header { display: flex; justify-content: space-between; align-items: center; gap: 12px; margin-bottom: 24px;
  font-size: 14px; color: var(--soft) }
.badge { border-radius: 999px; padding: 2px 10px; font-size: 12px; font-weight: 600; letter-spacing: .04em;
  text-transform: uppercase; color: var(--warn); background: var(--warn-well) }
.badge.live { color: var(--bad); background: var(--bad-well) }
h1 { font-size: 26px; line-height: 1.2; letter-spacing: -.02em; text-wrap: balance }
h2 { font-size: 14px; font-weight: 600; color: var(--soft); margin: 28px 0 8px }
.operation { font-size: 18px; margin-top: 10px; text-wrap: pretty }
h1 + .asked { margin-top: 16px; padding: 14px 16px; border-left: 4px solid var(--brand); border-radius: 4px 12px 12px 4px;
  background: var(--well); font-weight: 600 }
.sum { font-size: clamp(34px, 11vw, 44px); line-height: 1.15; font-weight: 700; letter-spacing: -.03em;
  margin: 8px 0 20px }
dl { border: 1px solid var(--line); border-radius: 12px; background: var(--well); overflow: hidden }
dl div { display: grid; grid-template-columns: minmax(84px, 30%) 1fr; gap: 12px; padding: 9px 14px; font-size: 15px }
dl div + div { border-top: 1px solid var(--line) }
dt { color: var(--soft) }
button:disabled { opacity: .6; cursor: progress }
main ul { margin: 16px 0; padding-left: 20px }
main li + li { margin-top: 6px }
code { font: 14px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
label { display: block; font-size: 14px; font-weight: 600; margin-top: 14px }
label span { font-weight: 400; color: var(--soft) }
input, textarea, select { width: 100%; margin-top: 4px; padding: 11px 12px; font: inherit; font-size: 16px; font-weight: 400; color: inherit; background: var(--paper);
  border: 1px solid light-dark(#c6ccd6, #3d4452); border-radius: 10px }
textarea { resize: vertical }
input[aria-invalid] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad) }
label + .problem { margin-top: 8px }
input:focus-visible, textarea:focus-visible, select:focus-visible, button:focus-visible { outline: 3px solid color-mix(in srgb, var(--brand) 45%, transparent);
  outline-offset: 1px; border-color: var(--brand) }
.actions { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; margin-top: 24px }
.actions.one { grid-template-columns: 1fr }
button { padding: 12px 16px; font: inherit; font-weight: 600; border-radius: 10px; cursor: pointer; overflow-wrap: anywhere;
  border: 1px solid light-dark(#c6ccd6, #3d4452); background: transparent; color: inherit }
button:hover { background: var(--well) }
button.primary { background: var(--brand); border-color: var(--brand); color: var(--on-brand) }
button.primary:hover { background: color-mix(in srgb, var(--brand) 88%, var(--ink)) }
header span { min-width: 0 }
header form { margin: 0; flex: none }
header button { padding: 6px 12px; font-size: 14px }
.actions.one { grid-template-columns: 1fr }
.done { margin-top: 20px; padding: 12px 14px; border-radius: 10px; font-size: 15px; color: var(--good);
  background: var(--good-well) }
a { color: var(--brand) }
a:focus-visible { outline: 3px solid color-mix(in srgb, var(--brand) 45%, transparent); outline-offset: 2px; border-radius: 4px }
.sessions { list-style: none; padding: 0; border: 1px solid var(--line); border-radius: 12px; background: var(--well) }
.sessions li { display: flex; justify-content: space-between; align-items: center; gap: 12px; padding: 10px 14px; font-size: 15px }
.sessions li + li { border-top: 1px solid var(--line) }
.sessions li > div > span { display: block; font-size: 14px; color: var(--soft) }
.sessions li > div { min-width: 0 }
.sessions .badge, .sessions li > a, .sessions li > form { flex: none }
.codes { columns: 2; column-gap: 24px; padding: 14px 14px 14px 38px; margin-top: 20px; border: 1px solid var(--line);
  border-radius: 12px; background: var(--well) }
.codes li { padding: 3px 0; break-inside: avoid }
@media (max-width: 480px) { .codes { columns: 1 } }
.symbol { width: 220px; margin: 20px 0; padding: 4px; background: #fff; border-radius: 10px }
.symbol svg { display: block; width: 100%; height: auto }
a.button { display: block; padding: 12px 16px; font-size: 16px; font-weight: 600; text-align: center; text-decoration: none;
  border-radius: 10px; color: var(--on-brand); background: var(--brand) }
fieldset { margin-top: 14px; padding: 0; border: 0 }
legend { font-size: 14px; font-weight: 600; padding: 0 }
label.choice { display: flex; gap: 10px; align-items: baseline; margin-top: 0; padding: 8px 0; font-size: 15px }
label.choice input { width: auto; margin: 0 }
.facts { margin-top: 20px }
.note { margin-top: 20px; font-size: 14px; color: var(--soft); text-wrap: pretty }
.problem { margin-top: 20px; padding: 12px 14px; border-radius: 10px; font-size: 15px; color: var(--bad);
  background: var(--bad-well) }
.mark { width: 52px; height: 52px; border-radius: 50%; display: grid; place-items: center; font-size: 26px;
  font-weight: 700; margin-bottom: 20px; color: var(--soft); background: var(--well) }
.mark.good { color: var(--good); background: var(--good-well) }
.mark.bad { color: var(--bad); background: var(--bad-well) }
`
