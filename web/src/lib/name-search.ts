/** Characters that make a search a regular expression. A search that contains none of them is plain text. */
const patternLetters = /[\\^$.|?*+()[\]{}]/

export type SearchProblem = 'invalid' | 'slow'

export const problemKeys = { invalid: 'common:field.badPattern', slow: 'common:field.slowPattern' } as const

/** Maximum time to match a pattern against all names, in ms. */
export const searchDeadlineMs = 800
/** Maximum time until the worker is ready, in ms. A slow network or phone delays its start. */
const startDeadlineMs = 20_000

/** Worker that runs patterns in another thread, so that the page can stop a pattern that takes too long. */
export type PatternRunner = Readonly<{
  /** Resolves when the worker is ready. */
  ready: Promise<unknown>
  /** Returns the indexes of matching names. The promise never resolves if the pattern takes too long. */
  run(pattern: string, names: readonly string[]): Promise<readonly number[]>
  stop(): void
}>

export type SearchResult = { readonly found: readonly number[] } | { readonly problem: SearchProblem }

function isPattern(text: string) {
  return patternLetters.test(text)
}

/** Compiles a pattern that ignores case. @throws SyntaxError */
export function compilePattern(pattern: string): RegExp {
  return new RegExp(pattern, 'iu')
}

function isValid(pattern: string): boolean {
  try {
    compilePattern(pattern)
    return true
  } catch {
    return false
  }
}

function containing(text: string, names: readonly string[]): readonly number[] {
  const wanted = text.toLocaleLowerCase()
  return names.flatMap((name, index) => (name.toLocaleLowerCase().includes(wanted) ? [index] : []))
}

/**
 * Searches for plain text, without a worker.
 * @returns undefined if the text is empty, because all names match. Returns a problem if the text is an invalid pattern. Returns
 * `pattern` if the text is a valid pattern. The caller must then call `searchByPattern`
 */
export function searchSynchronously(typed: string, names: readonly string[]): SearchResult | 'pattern' | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  if (!isPattern(text)) return { found: containing(text, names) }
  return isValid(text) ? 'pattern' : { problem: 'invalid' }
}

/** Matches names against a valid pattern. Reports a problem if the search takes too long. Finds no names if `signal` aborts. */
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

export function startPatternWorker(): PatternRunner {
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
