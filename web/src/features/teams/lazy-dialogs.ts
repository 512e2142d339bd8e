import { createLazyComponent } from '../../components/ui/late.tsx'

/** Dialogs of the teams page. The code of each dialog loads when the dialog opens. */
export const JoinDialog = createLazyComponent({ load: () => import('./join-dialog.tsx').then((file) => file.JoinTeamDialog) })
export const TeamForm = createLazyComponent({ load: () => import('./team-form.tsx').then((file) => file.TeamForm) })
