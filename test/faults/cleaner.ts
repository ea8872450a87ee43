// What tap's teardown does, for a run without tap: last in, first out.
export class Cleaner {
  readonly #tasks: (() => unknown)[] = []

  teardown(task: () => unknown): void {
    this.#tasks.push(task)
  }

  async clean(): Promise<void> {
    for (const task of this.#tasks.splice(0).reverse()) await task()
  }
}
