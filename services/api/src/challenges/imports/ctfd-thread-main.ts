// The worker thread that reads an export of CTFd. `service.ts` starts it.
import { runArchiveReader } from '../archives/reading-program.ts'
import { type ConvertOptions, convertCtfdExport } from './ctfd-convert.ts'
import type { PlatformAnswers } from './plan.ts'

await runArchiveReader<ConvertOptions>((archive, options, ask) => {
  const askFor =
    <Name extends keyof PlatformAnswers>(name: Name): PlatformAnswers[Name] =>
    (...given: unknown[]) =>
      ask(name, given) as never
  return convertCtfdExport(archive, { findUsers: askFor('findUsers'), findTakenNames: askFor('findTakenNames') }, options)
})
