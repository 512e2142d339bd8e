import { isEmail, isPhone } from '@capstan/contract/account-rules'
import type { AdminUser, AdminUserUpdate } from '@capstan/contract/admin'
import type { Role } from '@capstan/contract/common'
import { InputLimits, Limits } from '@capstan/contract/limits'
import { roles } from '@capstan/contract/roles'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ConflictAlert } from '../../components/editing/conflict-alert.tsx'
import { useDraft } from '../../components/editing/use-draft.ts'
import { Button } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { NamedValue, NamedValueList } from '../../components/ui/facts.tsx'
import { Field, Switch } from '../../components/ui/field.tsx'
import { useAction, useLongForm } from '../../components/ui/form.ts'
import { Input, Select, Textarea } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { useUserNameFault } from '../../components/ui/use-user-name-fault.ts'
import { changeUser, hasMadeApiCall, readUser } from './user-changes.ts'
import styles from './users.module.css'

type UserDraft = Readonly<{
  userName: string
  email: string
  emailConfirmed: boolean
  role: Role
  realName: string
  stdNumber: string
  phone: string
  bio: string
}>

function draftOf(user: AdminUser): UserDraft {
  return {
    userName: user.userName ?? '',
    email: user.email ?? '',
    emailConfirmed: user.emailConfirmed,
    role: user.role,
    realName: user.realName ?? '',
    stdNumber: user.stdNumber ?? '',
    phone: user.phone ?? '',
    bio: user.bio ?? '',
  }
}

function trimmed(draft: UserDraft): UserDraft {
  return Object.fromEntries(
    Object.entries(draft).map(([field, value]) => [field, typeof value === 'string' ? value.trim() : value]),
  ) as unknown as UserDraft
}

/**
 * Returns the changed fields. If the email address changed, adds `emailConfirmed`, because otherwise the server would set
 * `emailConfirmed` to false.
 */
function changesOf(stored: UserDraft, draft: UserDraft): AdminUserUpdate {
  const wanted = trimmed(draft)
  const changed = Object.fromEntries(
    (Object.keys(wanted) as (keyof UserDraft)[])
      .filter((field) => wanted[field] !== stored[field])
      .map((field) => [field, wanted[field]]),
  ) as AdminUserUpdate
  return changed.email === undefined ? changed : { ...changed, emailConfirmed: wanted.emailConfirmed }
}

const textFields = ['userName', 'email', 'realName', 'stdNumber', 'phone', 'bio'] as const

type UserFormProps = Readonly<{
  user: AdminUser
  isOwn: boolean
  onClose: () => void
}>

export function UserForm({ user, isOwn, onClose }: UserFormProps) {
  const { t } = useTranslation(['admin-users', 'common'])
  const formId = useId()
  // Values from the time when the dialog opened, or from the last save. A refresh must not change these values, because the edits
  // are compared with them.
  const [stored, setStored] = useState(user)
  const edits = useDraft(`user-${user.id}`, draftOf(stored))
  const { value: draft, set } = edits
  const isChanged = Object.keys(changesOf(draftOf(stored), draft)).length > 0
  const isContested = edits.conflicts.length > 0
  const isNewEmail = draft.email.trim() !== stored.email
  const nameFault = useUserNameFault()(draft.userName)
  const faults = {
    userName: nameFault !== undefined,
    email: !isEmail(draft.email.trim()),
    phone: !isPhone(draft.phone.trim()),
  }
  const activeHint = isOwn
    ? t('admin-users:form.ownActive')
    : t(draft.emailConfirmed ? 'admin-users:form.activeHintOn' : 'admin-users:form.activeHint')
  const close = () => {
    edits.discard()
    onClose()
  }
  const save = useAction(async () => {
    if (!isChanged) throw new Error(t('common:field.unchanged'))
    // Read the user again first, so that the save does not overwrite the change of another admin.
    const newer = await readUser(user)
    setStored(newer)
    const known = draftOf(newer)
    if (edits.conflictsWith(known).length > 0) return
    await changeUser(newer, changesOf(known, { ...known, ...edits.changes }))
    showToast({ tone: 'ok', title: t('admin-users:form.saved', { name: draft.userName.trim() }) })
    close()
  })
  const submit = () => (Object.values(faults).some(Boolean) || isContested ? undefined : save.run())
  const refusal = toFormRefusal(save.error, textFields)
  const text = (field: 'realName' | 'stdNumber', maxLength: number) => (
    <Field label={t(`admin-users:form.${field}`)} optional error={refusal.of(field)}>
      {(control) => (
        <Input
          {...control}
          value={draft[field]}
          maxLength={maxLength}
          autoComplete="off"
          onChange={(event) => set({ [field]: event.target.value })}
        />
      )}
    </Field>
  )
  const longForm = useLongForm(submit)
  return (
    <Dialog
      open
      onOpenChange={close}
      size="large"
      keepOpenOutside={isChanged}
      title={t('admin-users:form.title', { name: stored.userName ?? '' })}
      footer={
        <>
          <Button onClick={close}>{t('common:action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={save.busy} disabled={!isChanged || isContested}>
            {t('admin-users:form.save')}
          </Button>
        </>
      }
    >
      <form {...longForm} id={formId} className="stack gap-6" noValidate>
        <fieldset className="stack">
          <legend>{t('admin-users:form.account')}</legend>
          <div className="pair">
            <Field
              label={t('admin-users:form.userName')}
              hint={t('admin-users:form.userNameHint')}
              error={nameFault ?? refusal.of('userName')}
            >
              {(control) => (
                <Input
                  {...control}
                  value={draft.userName}
                  autoComplete="off"
                  onChange={(event) => set({ userName: event.target.value })}
                />
              )}
            </Field>
            <Field
              label={t('admin-users:form.role')}
              hint={isOwn ? t('admin-users:form.ownRole') : t(`admin-users:form.roleHint.${draft.role}`)}
            >
              {(control) => (
                <Select
                  {...control}
                  value={draft.role}
                  disabled={isOwn}
                  onValueChange={(role) => set({ role })}
                  options={roles.map((role) => ({ value: role, label: t(`common:role.${role}`) }))}
                />
              )}
            </Field>
            <Field
              label={t('admin-users:form.email')}
              hint={isNewEmail ? t('admin-users:form.emailChanged') : undefined}
              error={faults.email ? t('admin-users:form.emailInvalid') : refusal.of('email')}
            >
              {(control) => (
                <Input
                  {...control}
                  type="email"
                  value={draft.email}
                  maxLength={InputLimits.maxEmailLength}
                  autoComplete="off"
                  onChange={(event) => set({ email: event.target.value })}
                />
              )}
            </Field>
            <div className={styles.active}>
              <Switch
                label={t('admin-users:form.active')}
                hint={activeHint}
                disabled={isOwn}
                checked={draft.emailConfirmed}
                onCheckedChange={(emailConfirmed) => set({ emailConfirmed })}
              />
            </div>
          </div>
        </fieldset>
        <fieldset className="stack">
          <legend>{t('admin-users:form.person')}</legend>
          <div className="pair">
            {text('realName', Limits.maxRealNameLength)}
            {text('stdNumber', Limits.maxStudentNumberLength)}
            <Field
              label={t('admin-users:form.phone')}
              optional
              error={faults.phone ? t('admin-users:form.phoneInvalid') : refusal.of('phone')}
            >
              {(control) => (
                <Input
                  {...control}
                  type="tel"
                  value={draft.phone}
                  maxLength={InputLimits.maxPhoneLength}
                  autoComplete="off"
                  onChange={(event) => set({ phone: event.target.value })}
                />
              )}
            </Field>
            <Field label={t('admin-users:form.bio')} optional hint={t('admin-users:form.bioLength')} error={refusal.of('bio')}>
              {(control) => (
                <Textarea
                  {...control}
                  rows={2}
                  value={draft.bio}
                  maxLength={Limits.maxUserBioLength}
                  onChange={(event) => set({ bio: event.target.value })}
                />
              )}
            </Field>
          </div>
        </fieldset>
        <UserFacts user={stored} />
        <ConflictAlert
          draft={edits}
          labelOf={(field) => t(field === 'emailConfirmed' ? 'admin-users:form.active' : `admin-users:form.${field}`)}
        />
        {refusal.rest}
      </form>
    </Dialog>
  )
}

function UserFacts({ user }: { readonly user: AdminUser }) {
  const { t } = useTranslation('admin-users')
  return (
    <div className="ruled">
      <NamedValueList kind="details">
        <NamedValue name={t('form.registered')}>
          <RelativeTime at={user.registerTimeUtc} absolute />
        </NamedValue>
        <NamedValue name={t('form.lastVisit')}>
          {hasMadeApiCall(user) ? <RelativeTime at={user.lastVisitedUtc} /> : t('never')}
        </NamedValue>
        <NamedValue name={t('form.address')} className="mono">
          {user.ip}
          <CopyButton text={user.ip} label={t('form.copyAddress')} />
        </NamedValue>
        <NamedValue name={t('form.id')} className="mono tiny">
          <span className="wrap-anywhere">{user.id}</span>
          <CopyButton text={user.id} label={t('form.copyId')} />
        </NamedValue>
      </NamedValueList>
    </div>
  )
}
