// Text of machines: exact bytes, JSON and commands.
import { type Html, html } from '../../../shared/html.ts'

/** A block that scrolls by itself, with a button that copies it where scripts run. */
export function code(text: string, label: string): Html {
  return html`<div class="code"><pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre><button type="button" data-copy hidden>Copy</button></div>`
}

/** A value as indented JSON. */
export function json(value: unknown, label: string): Html {
  return code(JSON.stringify(value, null, 2), label)
}

/** A value as the API shows it, closed until somebody wants to see it. */
export function whole(value: unknown, label: string): Html {
  return html`<details class="panel whole"><summary><h2>${label}</h2></summary>${json(value, label)}</details>`
}

/** A sentence whose words in backticks are names of the API. */
export function marked(text: string): Html {
  return html`${text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`
}
