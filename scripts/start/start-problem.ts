// Something the person at the terminal can act on: its message is the one sentence that is shown.

export class StartProblem extends Error {
  override readonly name = 'StartProblem'
}
