/** Joining a game and leaving it. */
export default {
  join: {
    title: '{{game}} に参加',
    again: '{{game}} にもう一度申請',
    text: '承認されるとチームはロックされ、大会が終わるまで誰も外せません。',
    team: 'チーム',
    teamPlaceholder: 'チームを選ぶ',
    teamHint: 'メンバーのうち {{count}} 人まで参加できます。',
    teamMissing: '参加するチームを選んでください',
    teamName: 'チーム名',
    teamNameHint: 'あなたがキャプテンになり、後からほかの人を招待できます。',
    division: '部門',
    divisionPlaceholder: '部門を選ぶ',
    divisionMissing: '部門を選んでください',
    codeOfGame: '大会の招待コード',
    codeOfDivision: '{{division}} の招待コード',
    codeHint: '運営から受け取ってください。',
    codeMissing: '招待コードを入力してください',
    submit: '大会に参加',
    done: '参加しました',
  },
  leave: {
    title: '{{game}} への参加を取り消しますか？',
    text: 'あとでまた参加できます。この大会でチームの最後の一人なら、チームの申請も取り下げられます。',
    confirm: '取り消す',
    done: '{{game}} への参加を取り消しました',
  },
} as const
