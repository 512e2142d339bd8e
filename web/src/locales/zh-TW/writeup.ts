/** A team's writeup: its state and the upload. */
export default {
  writeup: {
    title: 'Writeup',
    text: '用一個 PDF 說明你的隊伍如何解出題目。任何隊員都可以繳交，新檔案會取代舊檔案。',
    instructions: '主辦單位的要求',
    submitted: '已繳交',
    missing: '尚未繳交',
    file: '檔案',
    deadline: '截止時間',
    left: '後截止',
    deadlineUnknown: '由主辦單位設定，逾期的檔案會被拒絕。',
    over: '繳交已截止',
    overMissing: '沒有繳交 writeup。如仍需繳交，請詢問主辦單位。',
    drop: '將 PDF 拖曳到此處或點選選擇',
    replace: '將新的 PDF 拖曳到此處以取代，或點選選擇',
    hint: '一個小於 20 MB 的 PDF',
    unfit: '檔案載入失敗，請檢查檔案格式與大小',
    sending: '正在上傳 {{name}}',
    cancel: '取消',
    done: 'Writeup 已繳交',
    failed: '無法載入 writeup 的狀態',
  },
} as const
