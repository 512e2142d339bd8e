/** Characters that make a search a regular expression; without them it is plain text. */
const patternLetters = /[\\^$.|?*+()[\]{}]/

export type SearchProblem = 'invalid' | 'slow'

/** Keys of the words for a problem. */
export const problemKeys = { invalid: 'common:field.badPattern', slow: 'common:field.slowPattern' } as const

/** Longest a pattern may work on all names; then it is stopped. */
export const searchDeadlineMs = 800
/** Longest its worker may take to start, over a slow network or on a slow phone. */
const startDeadlineMs = 20_000

/** Runs patterns apart from the page, so that one without an end can be stopped. */
export interface PatternRunner {
  /** Resolves when it can work. */
  readonly ready: Promise<unknown>
  /** Indexes of the names that match. Never resolves for a pattern that takes too long. */
  run(pattern: string, names: readonly string[]): Promise<readonly number[]>
  /** Ends the work at once. */
  stop(): void
}

export type SearchResult = { readonly found: readonly number[] } | { readonly problem: SearchProblem }

const isPattern = (text: string) => patternLetters.test(text)

/** Letter case is ignored. @throws SyntaxError */
export const compile = (pattern: string): RegExp => new RegExp(pattern, 'iu')

function isValid(pattern: string): boolean {
  try {
    compile(pattern)
    return true
  } catch {
    return false
  }
}

/** Indexes of names that contain the text. */
function containing(text: string, names: readonly string[]): readonly number[] {
  const wanted = text.toLocaleLowerCase()
  return names.flatMap((name, index) => (name.toLocaleLowerCase().includes(wanted) ? [index] : []))
}

/**
 * What can be answered at once: undefined (no text: everything), plain text, and patterns that are invalid.
 * `pattern`: ask `searchByPattern`.
 */
export function searchAtOnce(typed: string, names: readonly string[]): SearchResult | 'pattern' | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  if (!isPattern(text)) return { found: containing(text, names) }
  return isValid(text) ? 'pattern' : { problem: 'invalid' }
}

/** Runs a valid pattern; it is stopped at the deadline or when `signal` is aborted, then with nothing found. */
export function searchByPattern(
  typed: string,
  names: readonly string[],
  runner: PatternRunner,
  signal: AbortSignal,
): Promise<SearchResult> {
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const finish = (result: SearchResult) => {
      clearTimeout(timer)
      runner.stop()
      resolve(result)
    }
    const tooSlow = () => finish({ problem: 'slow' })
    timer = setTimeout(tooSlow, startDeadlineMs)
    signal.addEventListener('abort', () => finish({ found: [] }), { once: true })
    runner.ready.then(() => {
      clearTimeout(timer)
      if (signal.aborted) return
      timer = setTimeout(tooSlow, searchDeadlineMs)
      runner.run(typed.trim(), names).then(
        (found) => finish({ found }),
        () => finish({ problem: 'invalid' }),
      )
    }, tooSlow)
  })
}

/** A worker of its own per search. */
export function startWorker(): PatternRunner {
  const worker = new Worker(new URL('./name-search-worker.ts', import.meta.url), { type: 'module' })
  const nextMessage = <Data>() =>
    new Promise<Data>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Data>) => resolve(data)
      worker.onerror = reject
    })
  return {
    ready: nextMessage(),
    run: (pattern, names) => {
      const answer = nextMessage<readonly number[]>()
      worker.postMessage({ pattern, names })
      return answer
    },
    stop: () => worker.terminate(),
  }
}
