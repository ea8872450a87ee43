// A replacement of tap's teardown for a run without tap: the last task runs first.
export class Cleaner {
  readonly #tasks: (() => unknown)[] = []

  teardown(task: () => unknown): void {
    this.#tasks.push(task)
  }

  async clean(): Promise<void> {
    for (const task of this.#tasks.splice(0).reverse()) await task()
  }
}
