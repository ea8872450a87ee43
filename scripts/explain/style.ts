// Colors for a terminal, and none for other outputs.

export interface Style {
  good(text: string): string
  bad(text: string): string
  faint(text: string): string
  strong(text: string): string
}

function wrap(code: number): (text: string) => string {
  return (text) => '\x1b[' + code + 'm' + text + '\x1b[0m'
}

export const colours: Style = { good: wrap(32), bad: wrap(31), faint: wrap(2), strong: wrap(1) }

const same = (text: string): string => text
export const plainText: Style = { good: same, bad: same, faint: same, strong: same }
