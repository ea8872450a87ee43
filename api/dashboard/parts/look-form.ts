// The reader's choices in the menu of the person: the theme, and the keys of the keyboard.
import { type Html, html, url } from '../../../shared/html.ts'

/** `hasKeys` is null where a page has no keys. */
export function lookForm(of: { action: string; theme: string; hasKeys: boolean | null }): Html {
  const { theme, hasKeys } = of
  return html`<form method="post" action="${url(of.action)}"><fieldset><legend>Theme</legend>${(
    ['system', 'light', 'dark'] as const
  ).map(
    (each) =>
      html`<button name="theme" value="${each}" aria-pressed="${String(each === theme)}">${each}</button>`,
  )}</fieldset>${
    hasKeys === null
      ? null
      : html`<fieldset><legend>Keyboard</legend>${(['on', 'off'] as const).map(
          (each) =>
            html`<button name="keys" value="${each}" aria-pressed="${String((each === 'on') === hasKeys)}">${each}</button>`,
        )}</fieldset>`
  }</form>`
}
