/** Joining a game and leaving it. */
export default {
  join: {
    title: '參加 {{game}}',
    again: '重新報名 {{game}}',
    text: '隊伍通過審核後會被鎖定：比賽結束前無法移除任何人。',
    team: '隊伍',
    teamPlaceholder: '選擇隊伍',
    teamHint: '最多 {{count}} 名隊員可以參加。',
    teamMissing: '請選擇參賽隊伍',
    teamName: '你的隊伍名稱',
    teamNameHint: '你將成為隊長，之後可以邀請其他人。',
    division: '組別',
    divisionPlaceholder: '選擇組別',
    divisionMissing: '請選擇組別',
    codeOfGame: '比賽邀請碼',
    codeOfDivision: '{{division}} 的邀請碼',
    codeHint: '由主辦單位提供。',
    codeMissing: '邀請碼不能為空',
    submit: '參加比賽',
    done: '你已參加',
  },
  leave: {
    title: '退出 {{game}}?',
    text: '之後可以再次參加。如果你是隊伍在此比賽的最後一人，隊伍的報名也會撤回。',
    confirm: '退出',
    done: '你已退出 {{game}}',
  },
} as const
