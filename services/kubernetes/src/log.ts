/** The part of a logger (pino) that the toolkit uses: fields first, then a sentence in the past tense. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
