import { lazyComponent } from '../../components/ui/late.tsx'

/** Dialogs of the teams page. The code of each dialog loads when the dialog opens. */
export const JoinDialog = lazyComponent({ load: () => import('./join-dialog.tsx').then((file) => file.JoinDialog) })
export const TeamForm = lazyComponent({ load: () => import('./team-form.tsx').then((file) => file.TeamForm) })
