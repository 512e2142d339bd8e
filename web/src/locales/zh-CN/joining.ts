/** Joining a game and leaving it. */
export default {
  join: {
    title: '参加 {{game}}',
    again: '重新报名 {{game}}',
    text: '队伍通过审核后会被锁定：比赛结束前无法移出任何人。',
    team: '队伍',
    teamPlaceholder: '选择队伍',
    teamHint: '最多 {{count}} 名队员可以参加。',
    teamMissing: '请选择参赛队伍',
    teamName: '你的队伍名称',
    teamNameHint: '你将成为队长，之后可以邀请其他人。',
    division: '组别',
    divisionPlaceholder: '选择组别',
    divisionMissing: '请选择组别',
    codeOfGame: '比赛邀请码',
    codeOfDivision: '{{division}} 的邀请码',
    codeHint: '由主办方提供。',
    codeMissing: '邀请码不能为空',
    submit: '参加比赛',
    done: '你已参加',
  },
  leave: {
    title: '退出 {{game}}?',
    text: '之后可以再次参加。如果你是队伍在此比赛的最后一人，队伍的报名也会撤回。',
    confirm: '退出',
    done: '你已退出 {{game}}',
  },
} as const
