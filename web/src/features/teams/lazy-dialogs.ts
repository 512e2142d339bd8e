import { lazyComponent } from '../../components/ui/late.tsx'

/** Dialogs of the teams page. Each loads when it opens. */
export const JoinDialog = lazyComponent({ load: () => import('./join-dialog.tsx').then((file) => file.JoinDialog) })
export const TeamForm = lazyComponent({ load: () => import('./team-form.tsx').then((file) => file.TeamForm) })
