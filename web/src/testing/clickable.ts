import { screen, waitFor } from '@testing-library/react'

/** Finds a button and waits until it can be clicked. An open menu or dialog blocks the other elements of the page. */
export function findClickable(name: string): Promise<HTMLElement> {
  return waitFor(() => {
    const button = screen.getByRole('button', { name })
    if (getComputedStyle(button).pointerEvents === 'none') throw new Error(`The button ${name} does not receive clicks`)
    return button
  })
}
