import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Job } from './bench.ts'

const folder = path.join(import.meta.dirname, 'jobs')

/** Of a job that says nothing. */
export const usualShareSeconds = 45

/** Jobs run in this order, those without a place in the middle by their file's name. */
const usualPlace = 50

function isJob(value: unknown): value is Job {
  return typeof value === 'object' && value !== null && 'name' in value && 'about' in value && 'run' in value
}

/** Every job that a file of `jobs/` exports, in the order in which they run. */
export async function loadJobs(): Promise<Job[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).toSorted()
  const modules: object[] = []
  for (const file of files) modules.push(await import(path.join(folder, file)))
  const jobs = modules.flatMap((exported) => Object.values(exported).filter(isJob))
  return jobs.toSorted((left, right) => (left.place ?? usualPlace) - (right.place ?? usualPlace))
}
