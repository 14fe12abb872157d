// Ends a process group once whoever forked this is gone, however it went.
const group = Number(process.argv[2]);
process.once("disconnect", () => {
  try {
    process.kill(-group, "SIGKILL");
  } catch {}
});
