export type Reason = Readonly<{
  file: string
  why: string
}>
