// What a file of this folder gives to `npm run bench`.

export interface BenchOptions {
  /** Fewer and shorter pairs: for a first look. */
  quick: boolean
  /** Says what is going on. */
  log(text: string): void
}

/** What has to hold, as a ratio: both of its sides were measured in turns, in the same minutes. */
export interface Target {
  sentence: string
  ratio: number
  atMost: number
}

export interface Findings {
  /** Lines for people, in their order. */
  lines: readonly string[]
  /** For `results/`. */
  figures: { readonly [name: string]: unknown }
  targets: readonly Target[]
  /** Why these figures say nothing; empty where they count. */
  flaws: readonly string[]
}

export interface Measured {
  name: string
  summary: string
  run(options: BenchOptions): Promise<Findings>
}
