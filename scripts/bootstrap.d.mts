/** Prints a step and, when it is over, the time it took. */
export function step<Result>(title: string, work: () => Promise<Result> | Result): Promise<Result>
