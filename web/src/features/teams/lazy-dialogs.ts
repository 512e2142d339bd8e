import { lazy } from 'react'

/** Dialogs of the page of teams, loaded when they open. */
export const JoinDialog = lazy(() => import('./join-dialog.tsx').then((file) => ({ default: file.JoinDialog })))
export const TeamForm = lazy(() => import('./team-form.tsx').then((file) => ({ default: file.TeamForm })))
