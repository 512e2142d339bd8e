/** Runs `work` and prints its title and duration. */
export function runStep<Result>(title: string, work: () => Promise<Result> | Result): Promise<Result>
