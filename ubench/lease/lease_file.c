typedef int lease_file_placeholder;
