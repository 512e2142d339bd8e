import type { FullChallenge } from '@capstan/contract/challenge'
import { useMemo, useState } from 'react'
import { type ChallengeForm, findContainerFaults } from './challenge-form.ts'

/** Manages which container the challenge editor shows, and finds the faults of all containers. */
export function useContainerSelection(form: ChallengeForm, whole: FullChallenge) {
  const faults = useMemo(() => findContainerFaults(form, whole), [form, whole])
  const [selected, select] = useState(0)
  const isFaulty = (index: number) => Object.keys(faults[index] ?? {}).length > 0
  const firstFaulty = faults.findIndex((_, index) => isFaulty(index))
  return {
    faults,
    hasFault: firstFaulty >= 0,
    selected,
    select,
    /** Selects a container with a fault, if there is one. */
    selectFaulty: () => {
      if (firstFaulty >= 0 && !isFaulty(selected)) select(firstFaulty)
    },
  }
}
