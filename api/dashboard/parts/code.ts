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
